/**
 * A link through this process: one listener on loopback, and two streams for each accepted
 * connection.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { FlowDirection } from '../../run/actions.ts'
import { directions } from '../host/link.ts'
import type { Address } from './link-proxy.ts'
import { type EndsAfter, LoopbackConnection } from './loopback-connection.ts'
import type { Conditions } from './loopback-stream.ts'
import type { ProxiedConnection, ProxiedLink } from './proxied-link.ts'

/**
 * Fault model: a blocked direction holds bytes, ends and resets, and delivers them in order once it
 * is free, as TCP retransmission would. An extra delay counts from the time the bytes were read, so
 * the delays of successive bytes do not add up. A reset sends RST to both ends of the connection
 * that carries the bytes. A forgotten connection swallows data and stays open. Not modelled: lost
 * segments and retransmission timers, bandwidth, and refused or delayed connection attempts. The
 * listener accepts a connection at once, even while a direction is blocked.
 */
export class LoopbackLink implements ProxiedLink {
  port = 0
  readonly #conditions: Readonly<Record<FlowDirection, Conditions>> = {
    'to-node': { blocks: 0, resets: 0, extraMs: 0 },
    'to-process': { blocks: 0, resets: 0, extraMs: 0 },
  }
  readonly #connections = new Set<LoopbackConnection>()
  #endsAfter: EndsAfter | null = null
  #server: Server | null = null

  constructor(
    private readonly to: Address,
    private readonly closed: () => void,
  ) {}

  async block(direction: FlowDirection): Promise<boolean> {
    return this.#conditions[direction].blocks++ === 0
  }

  async unblock(direction: FlowDirection): Promise<boolean> {
    if (--this.#conditions[direction].blocks > 0) return false
    this.#passOn()
    return true
  }

  async slow(extraMs: number): Promise<void> {
    for (const direction of directions) this.#conditions[direction].extraMs += extraMs
    this.#passOn()
  }

  async resetNext(direction: FlowDirection): Promise<() => Promise<void>> {
    this.#conditions[direction].resets++
    let there = true
    return async () => {
      if (there) this.#conditions[direction].resets--
      there = false
    }
  }

  get connections(): readonly ProxiedConnection[] {
    return [...this.#connections]
  }

  holdEnds(until: EndsAfter): void {
    this.#endsAfter = until
  }

  async cut(): Promise<void> {
    await Promise.all([...this.#connections].map((connection) => connection.destroy()))
  }

  async disable(): Promise<void> {
    if (this.#server === null) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server = null
    await Promise.all([closed, this.cut()])
  }

  async enable(): Promise<void> {
    if (this.#server !== null) return
    this.#server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => this.#take(client))
    this.#server.listen(this.port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.port = (this.#server.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    await this.disable()
    this.closed()
  }

  #take(client: Socket): void {
    const connection = new LoopbackConnection(client, this.to, this.#conditions, this.#endsAfter)
    this.#connections.add(connection)
    void connection.closed.then(() => this.#connections.delete(connection))
  }

  #passOn(): void {
    for (const connection of this.#connections) connection.passOn()
  }
}
