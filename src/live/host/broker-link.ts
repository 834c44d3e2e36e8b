/**
 * The link between a consumer and the broker. The harness is the broker, so the messages pass
 * through this class, in order.
 */
import type { FlowDirection } from '../../run/actions.ts'
import { directions, type LiveLink } from './link.ts'

export class BrokerLink implements LiveLink {
  readonly #ways: Readonly<Record<FlowDirection, Way>>

  /** `after` returns a function that cancels the work. */
  constructor(nowMs: () => number, after: (delayMs: number, work: () => void) => () => void) {
    this.#ways = { 'to-node': new Way(nowMs, after), 'to-process': new Way(nowMs, after) }
  }

  carry(direction: FlowDirection, arrive: () => void): void {
    this.#ways[direction].carry(arrive)
  }

  async block(direction: FlowDirection): Promise<boolean> {
    return this.#ways[direction].blocks++ === 0
  }

  async unblock(direction: FlowDirection): Promise<boolean> {
    const way = this.#ways[direction]
    if (--way.blocks > 0) return false
    way.passOn()
    return true
  }

  async slow(extraMs: number): Promise<void> {
    for (const direction of directions) this.#ways[direction].slow(extraMs)
  }
}

interface Parcel {
  readonly arrive: () => void
  readonly sentMs: number
}

/**
 * One direction of the link. Messages keep their order, even when the link is unblocked or becomes
 * faster.
 */
class Way {
  blocks = 0
  #extraMs = 0
  readonly #waiting: Parcel[] = []
  #forget: () => void = () => {}

  constructor(
    private readonly nowMs: () => number,
    private readonly after: (delayMs: number, work: () => void) => () => void,
  ) {}

  carry(arrive: () => void): void {
    this.#waiting.push({ arrive, sentMs: this.nowMs() })
    this.passOn()
  }

  slow(extraMs: number): void {
    this.#extraMs += extraMs
    this.passOn()
  }

  /** Delivers every message whose time has come. */
  passOn(): void {
    this.#forget()
    while (this.blocks === 0) {
      const [next] = this.#waiting
      if (next === undefined) return
      const leftMs = next.sentMs + this.#extraMs - this.nowMs()
      if (leftMs > 0) {
        this.#forget = this.after(leftMs, () => this.passOn())
        return
      }
      this.#waiting.shift()
      next.arrive()
    }
  }
}
