import { HttpConnection, Tables, type TablesHost } from '../src/index.ts'
import { type Call, comparable, type Outcome, type Target } from './call.ts'
import { requestText } from './request-text.ts'

/** The simulated tables behind one connection, with a manual clock. */
export class SimulatedTarget implements Target {
  nowMs = Date.UTC(2026, 0, 1)
  readonly unsupported = new Set<string>()
  /** Behaviors of the last call that were reported as `unjudged`. */
  readonly unjudged = new Set<string>()
  readonly #connection: HttpConnection
  #received = ''

  constructor(sabotage: (tables: Tables) => void = () => {}) {
    const host: TablesHost = {
      nowMs: () => this.nowMs,
      chance: () => 0,
      unsupported: (what) => this.unsupported.add(what),
      unjudged: (what) => this.unjudged.add(what),
    }
    const tables = new Tables(host)
    sabotage(tables)
    this.#connection = new HttpConnection(tables, {
      write: (bytes) => {
        this.#received += bytes
      },
      close: () => {},
    })
  }

  async call({ operation, input }: Call): Promise<Outcome> {
    this.#received = ''
    this.unjudged.clear()
    this.#connection.receive(requestText(operation, input))
    // Half a second between requests is enough to create or delete a table. The judge creates and
    // deletes tables without a delay.
    this.nowMs += 500
    const [head, body] = this.#received.split('\r\n\r\n') as [string, string]
    const text = Buffer.from(body, 'latin1').toString()
    return { status: Number(head.split(' ')[1]), body: comparable(JSON.parse(text), operation) }
  }

  async close(): Promise<void> {}
}
