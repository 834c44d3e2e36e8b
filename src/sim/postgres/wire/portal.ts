import type { Field, Outcome, Statement } from '../engine/index.ts'
import { type Answer, rowsOf } from './answer.ts'

/** A statement with its parameters, ready to be executed; what it gave, until all of it was fetched. */
export class Portal {
  #left: Answer | null = null

  constructor(
    readonly statement: Statement,
    readonly parameters: readonly (string | null)[],
    private readonly resultFormats: readonly number[],
  ) {}

  formatsOf(fields: readonly Field[]): readonly number[] {
    const [first = 0, ...more] = this.resultFormats
    return more.length === 0 ? fields.map(() => first) : this.resultFormats
  }

  /** Whether it was executed, so that what is left of its rows is to be fetched. */
  get wasExecuted(): boolean {
    return this.#left !== null
  }

  gave(outcome: Extract<Outcome, { ok: true }>): void {
    this.#left = rowsOf(outcome, this.formatsOf(outcome.fields ?? []))
  }

  /** The next rows as messages, at most that many (0: all), and the tag, where these are the last. */
  fetch(maxRows: number): { readonly rows: readonly string[]; readonly tag: string | null } {
    const { rows, tag } = this.#left!
    const taken = maxRows > 0 ? rows.slice(0, maxRows) : rows
    const left = rows.slice(taken.length)
    this.#left = { rows: left, tag: left.length === 0 ? tag.replace(/^SELECT \d+$/, 'SELECT 0') : tag }
    if (left.length > 0) return { rows: taken, tag: null }
    return { rows: taken, tag: tag.replace(/^SELECT \d+$/, `SELECT ${taken.length}`) }
  }
}
