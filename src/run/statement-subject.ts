import { valuesOfStatement } from './statement-labels.ts'

/** An SQL statement to be executed. */
export interface Statement {
  readonly text: string
  readonly parameters: readonly (string | null)[]
}

/**
 * The values that identify the current statement on one connection. A COMMIT has no values, so the
 * last values of its transaction count.
 */
export class StatementSubject {
  #values: readonly string[] = []

  comes(label: string, { text, parameters }: Statement): void {
    if (label.startsWith('COMMIT') || label.startsWith('ROLLBACK')) return
    const values = valuesOfStatement(text, parameters)
    if (values.length > 0 || label === 'BEGIN') this.#values = values
  }

  /** The values in one text; undefined if there are none. */
  get text(): string | undefined {
    return this.#values.length === 0 ? undefined : this.#values.join(' ')
  }
}
