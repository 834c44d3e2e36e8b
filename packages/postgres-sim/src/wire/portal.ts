import { type Field, type Outcome, SqlError, type Statement } from '../index.ts'
import { type Answer, rowsOf } from './answer.ts'

/**
 * A statement with its parameters, ready to be executed; what it gave, until all of it was fetched.
 */
export class Portal {
  #left: Answer | null = null
  /** The first rows of them are gone. */
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

  /** Whether it was executed, so that what is left of its rows is to be fetched. */
  get wasExecuted(): boolean {
    return this.#left !== null
  }

  /** What gives no rows has nothing to be fetched: it cannot be run once more. */
  get isOver(): boolean {
    return this.#left !== null && this.statement.fields === null
  }

  gave(outcome: Extract<Outcome, { ok: true }>): void {
    this.#left = rowsOf(outcome, outcome.fields === null ? [] : this.formatsOf(outcome.fields))
  }

  /**
   * The next rows as messages, at most that many (0: all), and the tag; null where there may be
   * more of them.
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
    // It does not look whether there is one more than it was asked for.
    if (maxRows > 0 && taken.length === maxRows) return { rows: taken, tag: null }
    // A tag counts the rows of this fetch.
    return { rows: taken, tag: this.statement.fields === null ? tag : tag.replace(/\d+$/, String(taken.length)) }
  }
}
