/** A link through Toxiproxy. Latency toxics block and slow it, and `reset_peer` resets it. */
import type { Proxy as ToxicProxy } from 'toxiproxy-node-client'
import type { FlowDirection } from '../../run/actions.ts'
import { LiveProblem } from '../environment/problem.ts'
import { directions } from '../host/link.ts'
import type { ProxiedLink } from './proxied-link.ts'

const streams = { 'to-node': 'upstream', 'to-process': 'downstream' } as const

/**
 * A latency in milliseconds that is longer than any run. Data held back by a latency toxic pass
 * when the toxic is removed, as with TCP retransmission.
 */
const foreverMs = 100_000_000

export class ToxiproxyLink implements ProxiedLink {
  readonly #blocks = { 'to-node': 0, 'to-process': 0 }
  readonly #resets = { 'to-node': 0, 'to-process': 0 }
  #extraMs = 0
  /** Serializes changes, because a removed toxic and a new one may have the same name. */
  #changes: Promise<unknown> = Promise.resolve()

  constructor(private readonly proxy: ToxicProxy) {}

  get port(): number {
    const { listen } = this.proxy
    return Number(listen.slice(listen.lastIndexOf(':') + 1))
  }

  async block(direction: FlowDirection): Promise<boolean> {
    if (this.#blocks[direction]++ > 0) return false
    await this.#inTurn(() => this.#add(`blocked-${direction}`, 'latency', direction, { latency: foreverMs, jitter: 0 }))
    return true
  }

  async unblock(direction: FlowDirection): Promise<boolean> {
    if (--this.#blocks[direction] > 0) return false
    await this.#inTurn(() => this.#remove(`blocked-${direction}`))
    return true
  }

  async slow(extraMs: number): Promise<void> {
    const before = this.#extraMs
    this.#extraMs += extraMs
    const after = this.#extraMs
    await this.#inTurn(async () => {
      for (const direction of directions) {
        if (before > 0) await this.#remove(`slow-${direction}`)
        if (after > 0) await this.#add(`slow-${direction}`, 'latency', direction, { latency: after, jitter: 0 })
      }
    })
  }

  /**
   * Resets connections on their next bytes. A connection that was opened before this call ends with
   * FIN, because Toxiproxy sends RST only on connections that were opened with the toxic in place.
   */
  async resetNext(direction: FlowDirection): Promise<() => Promise<void>> {
    if (this.#resets[direction]++ === 0)
      await this.#inTurn(() => this.#add(`reset-${direction}`, 'reset_peer', direction, { timeout: 0 }))
    let there = true
    return async () => {
      if (!there) return
      there = false
      if (--this.#resets[direction] === 0) await this.#inTurn(() => this.#remove(`reset-${direction}`))
    }
  }

  async cut(): Promise<void> {
    await this.#inTurn(async () => {
      await this.#update(false)
      await this.#update(true)
    })
  }

  async disable(): Promise<void> {
    await this.#inTurn(() => this.#update(false))
  }

  async enable(): Promise<void> {
    await this.#inTurn(() => this.#update(true))
  }

  async close(): Promise<void> {
    await this.proxy.remove()
  }

  #inTurn(change: () => Promise<unknown>): Promise<unknown> {
    this.#changes = this.#changes.then(change).catch((error: Error) => {
      throw new LiveProblem('the proxy', `it refused to change a link (${error.message})`)
    })
    return this.#changes
  }

  #update(enabled: boolean): Promise<unknown> {
    const { listen, upstream } = this.proxy
    return this.proxy.update({ listen, upstream, enabled })
  }

  #add(
    name: string,
    type: 'latency' | 'reset_peer',
    direction: FlowDirection,
    attributes: Record<string, number>,
  ): Promise<unknown> {
    return this.proxy.addToxic({ name, type, stream: streams[direction], toxicity: 1, attributes })
  }

  async #remove(name: string): Promise<void> {
    const toxic = await this.proxy.getToxic(name)
    await toxic.remove()
  }
}
