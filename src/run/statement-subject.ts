import { valuesOfStatement } from './statement-labels.ts'

/** An SQL statement that is to be executed. */
export interface Statement {
  readonly text: string
  readonly parameters: readonly (string | null)[]
}

/**
 * What the statements of one connection are about: COMMIT names nothing, and is about what its
 * transaction named.
 */
export class StatementSubject {
  #values: readonly string[] = []

  comes(label: string, { text, parameters }: Statement): void {
    if (label.startsWith('COMMIT') || label.startsWith('ROLLBACK')) return
    const values = valuesOfStatement(text, parameters)
    if (values.length > 0 || label === 'BEGIN') this.#values = values
  }

  /** Undefined where they named nothing. */
  get text(): string | undefined {
    return this.#values.length === 0 ? undefined : this.#values.join(' ')
  }
}
