import type { Step } from 'postgres-sim/wire'
import { FrontendReader, textOf } from 'postgres-sim/wire'

/**
 * Requests of a client on one connection, read where they leave: which statements it asks to have
 * executed.
 */
export class ClientRequests {
  readonly #reader = new FrontendReader()
  /** By the names that the client gave. */
  readonly #statements = new Map<string, string>()
  readonly #portals = new Map<string, Step>()

  /**
   * Those whose execution is asked for in these bytes. Of a simple query, its whole text is one.
   */
  steps(bytes: string): readonly Step[] {
    const steps: Step[] = []
    for (const message of this.#reader.feed(bytes)) {
      if (message.kind === 'query') steps.push({ text: message.sql, parameters: [] })
      else if (message.kind === 'parse') this.#statements.set(message.name, message.sql)
      else if (message.kind === 'bind') {
        const parameters = message.values.map((value) => (value === null ? null : textOf(value)))
        this.#portals.set(message.portal, { text: this.#statements.get(message.statement) ?? '', parameters })
      } else if (message.kind === 'execute') {
        const step = this.#portals.get(message.portal)
        if (step !== undefined) steps.push(step)
      }
    }
    return steps
  }
}
