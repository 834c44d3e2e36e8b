/**
 * Collects the reports of consumer processes about their exchanges with stores and the sink, and
 * about their connections to stores.
 */
import type { ProcessRef } from '../../run/process-ref.ts'
import type { FromConsumer } from '../host/protocol.ts'

/**
 * A command and its reply, or a request to the sink and its answer, as seen by the consumer. Times
 * are those of `monotonicMs`.
 */
export interface Exchange {
  readonly process: string
  readonly slot: number
  /** The port of the link that the exchange used. */
  readonly port: number
  readonly connection: number | null
  /** The number of the process's labelled command; null for others. */
  readonly command: number | null
  readonly sentMs: number
  /** The time of the answer; null if there was none. */
  readonly answeredMs: number | null
}

type Reported = Extract<
  FromConsumer,
  { type: 'exchange-sent' | 'exchange-answered' | 'connection-open' | 'connection-closed' }
>

export class Exchanges {
  /** Exchanges by process and number. */
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

  /** The exchanges of all successive processes of a slot through the links of those ports. */
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

  /** The process's open connections to stores. */
  open(process: string): readonly number[] {
    return [...(this.#open.get(process) ?? [])]
  }

  isOpen(process: string, connection: number): boolean {
    return this.#open.get(process)?.has(connection) ?? false
  }
}
