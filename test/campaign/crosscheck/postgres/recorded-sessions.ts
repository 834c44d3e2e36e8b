import { Database } from 'postgres-sim'
import type { FrontendMessage, ServerPeer } from 'postgres-sim/wire'
import { bytesOf, ClientConnection, int32 } from 'postgres-sim/wire'
import { sentMessage } from '../../../../src/campaign/crosscheck/postgres/frontend-bytes.ts'
import { SessionRecorder } from '../../../../src/sim/world/postgres/session-recorder.ts'
import type { SessionEvent } from '../../../../src/sim/world/postgres/session-traffic.ts'

/** A client of the simulated server. It sends messages and ignores all responses. */
export interface RecordedClient {
  query(sql: string): void
  /** Sends the messages one after the other, up to Sync. */
  extended(sql: string, ...values: readonly (string | null)[]): void
  send(...messages: readonly FrontendMessage[]): void
  /** Ends the connection. */
  close(): void
  /** Ends the connection before the server reads these messages. */
  closeAfter(...messages: readonly FrontendMessage[]): void
  /** Ends the connection before the next statement is executed. */
  loseNext(): void
}

const unnamed = { portal: '', statement: '', parameterFormats: [], resultFormats: [] }

/** A statement of the extended protocol, up to Sync. */
export const extended = (sql: string, ...values: readonly (string | null)[]): FrontendMessage[] => [
  { kind: 'parse', name: '', sql, parameterTypes: [] },
  { ...unnamed, kind: 'bind', values: values.map((value) => value && bytesOf(value)) },
  { kind: 'describe', what: 'P', name: '' },
  { kind: 'execute', portal: '', maxRows: 0 },
  { kind: 'sync' },
]

function bytesIn(messages: readonly FrontendMessage[]): string {
  const sent = messages.map((message) => sentMessage(message)!)
  return sent.map(({ type, body }) => type + int32(4 + body.length) + body.toString('latin1')).join('')
}

/**
 * A simulated server on its own that records what its sessions receive and answer. `order`: the
 * order in which waiting sessions continue.
 */
export class RecordedSessions {
  readonly events: SessionEvent[] = []
  #nowUs = Date.UTC(2031, 4, 6, 7, 8, 9) * 1000
  #timers: { readonly at: number; readonly work: () => void }[] = []
  readonly #recorder: SessionRecorder
  readonly #database: Database

  constructor(order: readonly number[] = [], sabotage: (database: Database) => void = () => {}) {
    const orders = [...order]
    this.#database = new Database({
      nowUs: () => this.#nowUs,
      after: (delayUs, work) => this.#after(delayUs, work),
      chance: (what, n) => (what === 'which session goes on first' ? Math.min(orders.shift() ?? 0, n - 1) : 0),
      unsupported: () => this.#recorder.fault('statements that are not simulated'),
      goesOn: (processId) => this.#recorder.goesOn(processId),
      typeMade: (oid, name) => this.#recorder.typeMade(oid, name),
    })
    sabotage(this.#database)
    this.#recorder = new SessionRecorder(this.events, {
      nowUs: () => this.#nowUs,
      blockedBy: (processId) => this.#database.blockedBy(processId),
    })
  }

  client(): RecordedClient {
    let loses = false
    const peer: ServerPeer = {
      listener: this.#recorder.listener(),
      connect: (startup) => this.#database.connect(startup),
      cancel() {},
      executes: () => !loses,
      executed() {},
      send() {},
      close() {},
      later: (work) =>
        void this.#after(0, () => {
          work()
          while (connection.step());
        }),
      unsupported: () => this.#recorder.fault('statements that are not simulated'),
    }
    const connection = new ClientConnection(peer)
    const work = () => {
      while (connection.step());
      this.advance(0)
    }
    const feed = (bytes: string) => {
      connection.feed(bytes)
      work()
    }
    const startup = `${int32(196_608)}user\0app\0database\0app\0\0`
    feed(int32(4 + startup.length) + startup)
    const send = (...messages: readonly FrontendMessage[]) => feed(bytesIn(messages))
    return {
      send,
      query: (sql) => send({ kind: 'query', sql }),
      extended: (sql, ...values) => send(...extended(sql, ...values)),
      closeAfter: (...messages) => {
        connection.feed(bytesIn(messages))
        connection.closed()
        work()
      },
      close: () => {
        connection.closed()
        this.advance(0)
      },
      loseNext: () => {
        loses = true
      },
    }
  }

  advance(ms: number): void {
    const end = this.#nowUs + ms * 1000
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
      if (next === undefined) break
      this.#timers = this.#timers.filter((one) => one !== next)
      this.#nowUs = next.at
      next.work()
    }
    this.#nowUs = end
  }

  #after(delayUs: number, work: () => void): () => void {
    const timer = { at: this.#nowUs + delayUs, work }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer)
    }
  }
}
