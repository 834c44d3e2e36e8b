/** The link between a consumer and the broker, which is the harness itself: its messages pass here, in order. */
import type { FlowDirection } from '../run/actions.ts'
import type { LiveLink } from './link.ts'

export class BrokerLink implements LiveLink {
  readonly #blocks = { 'to-node': 0, 'to-process': 0 }
  readonly #held = { 'to-node': [] as (() => void)[], 'to-process': [] as (() => void)[] }
  #extraMs = 0

  constructor(private readonly after: (delayMs: number, work: () => void) => void) {}

  carry(direction: FlowDirection, arrive: () => void): void {
    if (this.#blocks[direction] > 0) this.#held[direction].push(arrive)
    else if (this.#extraMs > 0) this.after(this.#extraMs, arrive)
    else arrive()
  }

  async block(direction: FlowDirection): Promise<boolean> {
    return this.#blocks[direction]++ === 0
  }

  async unblock(direction: FlowDirection): Promise<boolean> {
    if (--this.#blocks[direction] > 0) return false
    for (const arrive of this.#held[direction].splice(0)) arrive()
    return true
  }

  async slow(extraMs: number): Promise<void> {
    this.#extraMs += extraMs
  }
}
