import type { Step } from 'postgres-sim/wire'
import { FrontendReader, textOf } from 'postgres-sim/wire'

/**
 * Parses the requests that a client sends on one connection, and finds the statements to be
 * executed.
 */
export class ClientRequests {
  readonly #reader = new FrontendReader()
  /** The statements, by the names that the client gave. */
  readonly #statements = new Map<string, string>()
  readonly #portals = new Map<string, Step>()

  /**
   * The statements whose execution these bytes request. A simple query is one step, with its whole
   * text.
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
