/**
 * A consumer's connection and the matching connection to the node, with a stream in each direction.
 */
import net, { type Socket } from 'node:net'
import type { FlowDirection } from '../../run/actions.ts'
import { directions } from '../host/link.ts'
import { bothEnds } from './both-ends.ts'
import type { Address } from './link-proxy.ts'
import { type Conditions, LoopbackStream } from './loopback-stream.ts'
import type { ProxiedConnection } from './proxied-link.ts'

/** Settles when the end of a connection may be forwarded to the node. */
export type EndsAfter = (connection: ProxiedConnection) => Promise<void>

export class LoopbackConnection implements ProxiedConnection {
  /** Settles once both sockets are closed. */
  readonly closed: Promise<unknown>
  readonly #process: Socket
  readonly #node: Socket
  #streams: readonly LoopbackStream[] = []
  readonly #forgotten = new Set<FlowDirection>()
  /** The resets of this connection only. */
  readonly #own: Readonly<Record<FlowDirection, { resets: number }>> = {
    'to-node': { resets: 0 },
    'to-process': { resets: 0 },
  }
  readonly from: number

  /** `client`: paused, so that nothing is read before the node has accepted the connection. */
  constructor(
    client: Socket,
    to: Address,
    conditions: Readonly<Record<FlowDirection, Conditions>>,
    private readonly endsAfter: EndsAfter | null,
  ) {
    this.#process = client
    this.from = client.remotePort ?? 0
    this.#node = net.connect({ host: to.host, port: to.port, allowHalfOpen: true })
    const sockets = [this.#process, this.#node]
    this.closed = bothEnds(sockets)
    for (const socket of sockets)
      socket.on('close', () => {
        if (this.#streams.length === 0) for (const one of sockets) one.destroy()
      })
    this.#node.once('connect', () => this.#open(conditions))
  }

  get to(): number {
    return this.#node.localPort ?? 0
  }

  /** Must be called after the conditions have changed. */
  passOn(): void {
    for (const stream of this.#streams) stream.passOn()
  }

  async resetNext(direction: FlowDirection): Promise<() => Promise<void>> {
    const own = this.#own[direction]
    own.resets++
    let there = true
    return async () => {
      if (there) own.resets--
      there = false
    }
  }

  /** Loses everything in one direction, even before the node has accepted the connection. */
  forget(direction: FlowDirection): void {
    this.#forgotten.add(direction)
    this.#streams[directions.indexOf(direction)]?.forget()
  }

  async destroy(): Promise<void> {
    for (const stream of this.#streams) stream.stop()
    for (const socket of [this.#process, this.#node]) socket.destroy()
    await this.closed
  }

  #open(conditions: Readonly<Record<FlowDirection, Conditions>>): void {
    const reset = (): void => {
      for (const stream of this.#streams) stream.stop()
      for (const socket of [this.#process, this.#node]) socket.resetAndDestroy()
    }
    const ends = { 'to-node': [this.#process, this.#node], 'to-process': [this.#node, this.#process] } as const
    const { endsAfter } = this
    const mayEnd = { 'to-node': endsAfter === null ? null : () => endsAfter(this), 'to-process': null }
    this.#streams = directions.map(
      (one) => new LoopbackStream(...ends[one], [conditions[one], this.#own[one]], reset, mayEnd[one]),
    )
    for (const direction of this.#forgotten) this.forget(direction)
  }
}
