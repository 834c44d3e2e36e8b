import { valuesOfStatement } from '../../../run/statement-labels.ts'
import type { Step } from '../../postgres/wire/server-peer.ts'

/** What the statements of one connection are about: COMMIT names nothing, and is about what its transaction named. */
export class Subject {
  #values: readonly string[] = []

  comes(label: string, { text, parameters }: Step): void {
    if (/^(COMMIT|ROLLBACK)/.test(label)) return
    const values = valuesOfStatement(text, parameters)
    if (values.length > 0 || label === 'BEGIN') this.#values = values
  }

  /** Undefined where they named nothing. */
  get text(): string | undefined {
    return this.#values.length === 0 ? undefined : this.#values.join(' ')
  }
}
