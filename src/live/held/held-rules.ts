/**
 * What may pass between the machines of a deployment whose run follows a schedule, and what waits
 * there for its step.
 */
import type { Address } from '../proxy/link-proxy.ts'

/** By which a Sentinel makes a server lead (null), or follow. */
export interface Order {
  readonly server: string
  readonly follows: Address | null
}

const pair = (one: string, other: string): string => [one, other].sort().join(' ')

const orderName = ({ server, follows }: Order): string =>
  follows === null ? `${server} leads` : `${server} follows ${follows.host}:${follows.port}`

export class HeldRules {
  /** By pair of machines: how many faults cut them off from each other. */
  readonly #cuts = new Map<string, number>()
  /** Sentinels that learn nothing of servers, and of each other. */
  readonly #unaware = new Set<string>()
  readonly #orders = new Set<string>()
  /** By replica and primary: up to where it may have the primary's history. */
  readonly #limits = new Map<string, number>()
  /** Replicas that have nothing of their primary's history, and get none until they may. */
  readonly #bare = new Set<string>()
  #holds = false
  /** Is called when something may pass that did not before. */
  changed: () => void = () => {}

  /** From now on; until then all passes. */
  hold(): void {
    this.#holds = true
  }

  /** False where all of the pairs were cut before. */
  cut(pairs: readonly (readonly [string, string])[]): boolean {
    const names = pairs.map((one) => pair(...one))
    if (names.every((name) => this.#isCut(name))) return false
    for (const name of names) this.#cuts.set(name, (this.#cuts.get(name) ?? 0) + 1)
    return true
  }

  /** Whether all of the pairs reach each other now. */
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

  /** Such an order is let through, until `forbid`. */
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
   * The replica may have the primary's history up to that offset; with the first one, it may ask
   * for it.
   */
  limit(replica: string, primary: string, offset: number): void {
    const name = `${replica} ${primary}`
    this.#limits.set(name, Math.max(offset, this.#limits.get(name) ?? 0))
    this.changed()
  }

  /** Null where it may not ask. */
  limitOf(replica: string, primary: string): number | null {
    if (this.#holds) return this.#limits.get(`${replica} ${primary}`) ?? null
    return this.mayHaveData(replica) ? Number.POSITIVE_INFINITY : 0
  }
}
