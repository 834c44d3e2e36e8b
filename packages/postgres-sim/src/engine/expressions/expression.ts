import type { Row, Running } from '../run.ts'
import type { Type } from '../values/types.ts'
import type { Value } from '../values/value.ts'

/** A compiled expression with its type. */
export interface Expression {
  readonly type: Type
  readonly typmod: number
  evaluate(row: Row): Value
  /**
   * Set for a string literal, NULL or a parameter without a type, which takes the type that its
   * context requires.
   */
  readonly open?:
    | { kind: 'literal'; text: string | null; position: number }
    | { kind: 'parameter'; number: number; position: number }
  readonly constant?: boolean
}

/**
 * A part of an expression that may wait: pg_sleep, an advisory lock, or a subquery that locks rows.
 * It is evaluated before the enclosing expression.
 */
export interface WaitingPart {
  /** True if the part runs once per statement; false if it runs once per row. */
  readonly once: boolean
  run(row: Row): Running<Value>
}

/** An expression with its waiting parts. */
export interface Clause extends Expression {
  readonly parts: readonly WaitingPart[]
  /**
   * True if the clause tests for a matching row of a correlated subquery, which PostgreSQL turns
   * into a join.
   */
  readonly joins?: boolean
}

export function* evaluateClause(clause: Clause, row: Row): Running<Value> {
  if (clause.parts.length > 0) yield* evaluateParts(clause.parts, row)
  return clause.evaluate(row)
}

export const mayWait = ({ parts }: Clause): boolean => parts.length > 0

/**
 * Evaluates clauses without waiting parts. It is not a generator, because a generator would cost
 * more than most clauses.
 */
export function evaluated(clauses: readonly Clause[], row: Row): Value[] {
  return clauses.map((clause) => clause.evaluate(row))
}

export function* evaluateClauses(clauses: readonly Clause[], row: Row): Running<Value[]> {
  const values: Value[] = []
  for (const clause of clauses) values.push(mayWait(clause) ? yield* evaluateClause(clause, row) : clause.evaluate(row))
  return values
}

function* evaluateParts(parts: readonly WaitingPart[], row: Row): Running<void> {
  for (const part of parts) {
    if (part.once && row.run.once?.has(part)) continue
    const value = yield* part.run(row)
    const known = part.once ? (row.run.once ??= new Map()) : (row.waited ??= new Map())
    known.set(part, value)
  }
}

export function partValue(part: WaitingPart, row: Row): Value {
  return (part.once ? row.run.once?.get(part) : row.waited?.get(part)) as Value
}
