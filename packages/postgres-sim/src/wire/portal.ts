import { type Field, type Outcome, SqlError, type Statement } from '../index.ts'
import { type Answer, rowsOf } from './answer.ts'

/**
 * A statement with parameters, ready to execute. It keeps the result until all rows are fetched.
 */
export class Portal {
  #left: Answer | null = null
  /** True after the first fetch. */
  #isBegun = false

  constructor(
    readonly statement: Statement,
    readonly parameters: readonly (string | null)[],
    private readonly resultFormats: readonly number[],
  ) {}

  formatsOf(fields: readonly Field[]): readonly number[] {
    const [first = 0, ...more] = this.resultFormats
    if (more.length === 0) return fields.map(() => first)
    if (this.resultFormats.length === fields.length) return this.resultFormats
    throw new SqlError(
      '08P01',
      `bind message has ${this.resultFormats.length} result formats but query has ${fields.length} columns`,
    )
  }

  /** True if the portal was executed, so that the remaining rows can be fetched. */
  get wasExecuted(): boolean {
    return this.#left !== null
  }

  /**
   * True if the portal was executed and its statement returns no rows: it cannot be executed again.
   */
  get isOver(): boolean {
    return this.#left !== null && this.statement.fields === null
  }

  gave(outcome: Extract<Outcome, { ok: true }>): void {
    this.#left = rowsOf(outcome, outcome.fields === null ? [] : this.formatsOf(outcome.fields))
  }

  /**
   * Returns the next rows as messages, at most `maxRows` (0 means all), and the tag. The tag is
   * null if more rows may follow.
   */
  fetch(maxRows: number): { readonly rows: readonly string[]; readonly tag: string | null } {
    const { rows, tag } = this.#left!
    if (maxRows === 0 && !this.#isBegun) {
      this.#left = { rows: [], tag }
      this.#isBegun = true
      return { rows, tag }
    }
    this.#isBegun = true
    const taken = maxRows > 0 ? rows.slice(0, maxRows) : rows
    this.#left = { rows: rows.slice(taken.length), tag }
    // PostgreSQL does not check whether another row follows, so the tag is null even after the last
    // row.
    if (maxRows > 0 && taken.length === maxRows) return { rows: taken, tag: null }
    // The tag counts the rows of this fetch.
    return { rows: taken, tag: this.statement.fields === null ? tag : tag.replace(/\d+$/, String(taken.length)) }
  }
}
