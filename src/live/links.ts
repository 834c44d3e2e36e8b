/** The roads between one consumer and its nodes, and how they are closed, slowed and cut: by toxics, but for the broker. */
import type { Proxy as ToxicProxy } from 'toxiproxy-node-client'
import { LiveProblem } from './problem.ts'

export type Way = 'to-node' | 'to-process'

/** What faults do to a road. */
export interface Road {
  /** Nothing passes that way, and nothing is lost: it passes once the way is free. False where it was so before. */
  block(way: Way): Promise<boolean>
  /** Whether the way is free now: another fault may block it too. */
  unblock(way: Way): Promise<boolean>
  /** Everything takes that much longer, both ways; negative to take it back. */
  slow(extraMs: number): Promise<void>
}

const streams = { 'to-node': 'upstream', 'to-process': 'downstream' } as const

/** Longer than any run: what a latency toxic holds back goes on when the toxic is removed, as TCP sends again. */
const foreverMs = 100_000_000

/** A road through a proxy of its own. */
export class ProxiedRoad implements Road {
  readonly #blocks = { 'to-node': 0, 'to-process': 0 }
  readonly #resets = { 'to-node': 0, 'to-process': 0 }
  #extraMs = 0
  /** One change after the other: a toxic that goes and one that comes may have one name. */
  #changes: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly proxy: ToxicProxy,
    readonly port: number,
  ) {}

  async block(way: Way): Promise<boolean> {
    if (this.#blocks[way]++ > 0) return false
    await this.#inTurn(() => this.#add(`blocked-${way}`, 'latency', way, { latency: foreverMs, jitter: 0 }))
    return true
  }

  async unblock(way: Way): Promise<boolean> {
    if (--this.#blocks[way] > 0) return false
    await this.#inTurn(() => this.#remove(`blocked-${way}`))
    return true
  }

  async slow(extraMs: number): Promise<void> {
    const before = this.#extraMs
    this.#extraMs += extraMs
    const after = this.#extraMs
    await this.#inTurn(async () => {
      for (const way of ['to-node', 'to-process'] as const) {
        if (before > 0) await this.#remove(`slow-${way}`)
        if (after > 0) await this.#add(`slow-${way}`, 'latency', way, { latency: after, jitter: 0 })
      }
    })
  }

  /** The next bytes that way are swallowed, and their connection is reset. Answers how to take it back. */
  async resetNext(way: Way): Promise<() => Promise<void>> {
    if (this.#resets[way]++ === 0)
      await this.#inTurn(() => this.#add(`reset-${way}`, 'reset_peer', way, { timeout: 0 }))
    let there = true
    return async () => {
      if (!there) return
      there = false
      if (--this.#resets[way] === 0) await this.#inTurn(() => this.#remove(`reset-${way}`))
    }
  }

  /** Closes every connection; the next one is taken. */
  async cut(): Promise<void> {
    const { listen, upstream } = this.proxy
    await this.#inTurn(async () => {
      await this.proxy.update({ listen, upstream, enabled: false })
      await this.proxy.update({ listen, upstream, enabled: true })
    })
  }

  #inTurn(change: () => Promise<unknown>): Promise<unknown> {
    this.#changes = this.#changes.then(change).catch((error: Error) => {
      throw new LiveProblem('the proxy', `it does not do what it is told (${error.message})`)
    })
    return this.#changes
  }

  #add(name: string, type: 'latency' | 'reset_peer', way: Way, attributes: Record<string, number>): Promise<unknown> {
    return this.proxy.addToxic({ name, type, stream: streams[way], toxicity: 1, attributes })
  }

  async #remove(name: string): Promise<void> {
    const toxic = await this.proxy.getToxic(name)
    await toxic.remove()
  }
}

/** The broker is the harness itself: its messages pass here, in order. */
export class BrokerRoad implements Road {
  readonly #blocks = { 'to-node': 0, 'to-process': 0 }
  readonly #held = { 'to-node': [] as (() => void)[], 'to-process': [] as (() => void)[] }
  #extraMs = 0

  constructor(private readonly after: (delayMs: number, work: () => void) => void) {}

  carry(way: Way, arrive: () => void): void {
    if (this.#blocks[way] > 0) this.#held[way].push(arrive)
    else if (this.#extraMs > 0) this.after(this.#extraMs, arrive)
    else arrive()
  }

  async block(way: Way): Promise<boolean> {
    return this.#blocks[way]++ === 0
  }

  async unblock(way: Way): Promise<boolean> {
    if (--this.#blocks[way] > 0) return false
    for (const arrive of this.#held[way].splice(0)) arrive()
    return true
  }

  async slow(extraMs: number): Promise<void> {
    this.#extraMs += extraMs
  }
}
