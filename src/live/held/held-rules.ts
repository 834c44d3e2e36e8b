/**
 * Decides which traffic may pass between the machines of a deployment in a run that follows a
 * schedule, and which waits for its step.
 */
import type { Address } from '../proxy/link-proxy.ts'

/** A Sentinel's order that makes a server a primary (null) or a replica. */
export interface Order {
  readonly server: string
  readonly follows: Address | null
}

const pair = (one: string, other: string): string => [one, other].sort().join(' ')

const orderName = ({ server, follows }: Order): string =>
  follows === null ? `${server} leads` : `${server} follows ${follows.host}:${follows.port}`

export class HeldRules {
  /** For each pair of machines, the number of faults that cut them off from each other. */
  readonly #cuts = new Map<string, number>()
  /** Sentinels that learn nothing from servers or from each other. */
  readonly #unaware = new Set<string>()
  readonly #orders = new Set<string>()
  /**
   * For each replica and primary, the offset up to which the replica may have the primary's
   * history.
   */
  readonly #limits = new Map<string, number>()
  /** Replicas that have nothing of their primary's history and must not receive any of it yet. */
  readonly #bare = new Set<string>()
  #holds = false
  /** Called when something may pass that was blocked before. */
  changed: () => void = () => {}

  /** Enforces the rules from now on. Before that, everything passes. */
  hold(): void {
    this.#holds = true
  }

  /** Cuts the pairs. Returns false if all of them were already cut. */
  cut(pairs: readonly (readonly [string, string])[]): boolean {
    const names = pairs.map((one) => pair(...one))
    if (names.every((name) => this.#isCut(name))) return false
    for (const name of names) this.#cuts.set(name, (this.#cuts.get(name) ?? 0) + 1)
    return true
  }

  /** Undoes one cut of each pair. Returns true if all of them reach each other now. */
  uncut(pairs: readonly (readonly [string, string])[]): boolean {
    const names = pairs.map((one) => pair(...one))
    for (const name of names) this.#cuts.set(name, (this.#cuts.get(name) ?? 0) - 1)
    this.changed()
    return names.every((name) => !this.#isCut(name))
  }

  #isCut(name: string): boolean {
    return (this.#cuts.get(name) ?? 0) > 0
  }

  reach(one: string, other: string): boolean {
    return !this.#isCut(pair(one, other))
  }

  unaware(sentinels: readonly string[]): void {
    for (const sentinel of sentinels) this.#unaware.add(sentinel)
  }

  learns(sentinel: string): void {
    this.#unaware.delete(sentinel)
    this.changed()
  }

  mayLearn(sentinel: string): boolean {
    return !this.#unaware.has(sentinel)
  }

  /** Lets the order pass until `forbid` is called with the same order. */
  allow(order: Order): void {
    this.#orders.add(orderName(order))
    this.changed()
  }

  forbid(order: Order): void {
    this.#orders.delete(orderName(order))
  }

  allows(order: Order): boolean {
    return !this.#holds || this.#orders.has(orderName(order))
  }

  bare(replica: string, on: boolean): void {
    if (on) this.#bare.add(replica)
    else if (this.#bare.delete(replica)) this.changed()
  }

  mayHaveData(replica: string): boolean {
    return !this.#bare.has(replica)
  }

  /**
   * Lets the replica have the primary's history up to that offset. The first call also lets it send
   * PSYNC.
   */
  limit(replica: string, primary: string, offset: number): void {
    const name = `${replica} ${primary}`
    this.#limits.set(name, Math.max(offset, this.#limits.get(name) ?? 0))
    this.changed()
  }

  /**
   * The offset up to which the replica may have the primary's history; null if it must not send
   * PSYNC.
   */
  limitOf(replica: string, primary: string): number | null {
    if (this.#holds) return this.#limits.get(`${replica} ${primary}`) ?? null
    return this.mayHaveData(replica) ? Number.POSITIVE_INFINITY : 0
  }
}
