/**
 * What consumer processes told of their exchanges with Redis and the sink, and of their connections
 * to Redis.
 */
import type { ProcessRef } from '../../run/process-ref.ts'
import type { FromConsumer } from '../host/protocol.ts'

/**
 * A command and its reply, or a request to the sink and its answer, as the consumer saw them.
 * Times: `monotonicMs`.
 */
export interface Exchange {
  readonly process: string
  readonly slot: number
  /** Of the link that it went by. */
  readonly port: number
  readonly connection: number | null
  /** Which of the process's labelled commands it is; null for what is none. */
  readonly command: number | null
  readonly sentMs: number
  /** Null where no answer came. */
  readonly answeredMs: number | null
}

type Reported = Extract<
  FromConsumer,
  { type: 'exchange-sent' | 'exchange-answered' | 'connection-open' | 'connection-closed' }
>

export class Exchanges {
  /** By process and number. */
  readonly #reported = new Map<string, Exchange>()
  readonly #open = new Map<string, Set<number>>()

  hear({ name, slot }: ProcessRef, message: Reported): void {
    switch (message.type) {
      case 'connection-open':
        this.#open.set(name, (this.#open.get(name) ?? new Set()).add(message.connection))
        return
      case 'connection-closed':
        this.#open.get(name)?.delete(message.connection)
        return
      case 'exchange-sent': {
        const { exchange, port, connection = null, command = null, atMs } = message
        const sent = { process: name, slot, port, connection, command, sentMs: atMs, answeredMs: null }
        this.#reported.set(`${name} ${exchange}`, sent)
        return
      }
      case 'exchange-answered': {
        const at = `${name} ${message.exchange}`
        this.#reported.set(at, { ...this.#reported.get(at)!, answeredMs: message.atMs })
      }
    }
  }

  /** Those of a slot by links of those ports, its successive processes together. */
  by(slot: number, ports: readonly number[]): Exchange[] {
    return [...this.#reported.values()].filter((one) => one.slot === slot && ports.includes(one.port))
  }

  ofCommand(process: string, command: number): Exchange | null {
    return [...this.#reported.values()].find((one) => one.process === process && one.command === command) ?? null
  }

  on(process: string, connections: readonly number[]): Exchange[] {
    const isOn = (one: Exchange) => one.connection !== null && connections.includes(one.connection)
    return [...this.#reported.values()].filter((one) => one.process === process && isOn(one))
  }

  /** Connections to Redis that the process has open. */
  open(process: string): readonly number[] {
    return [...(this.#open.get(process) ?? [])]
  }

  isOpen(process: string, connection: number): boolean {
    return this.#open.get(process)?.has(connection) ?? false
  }
}
