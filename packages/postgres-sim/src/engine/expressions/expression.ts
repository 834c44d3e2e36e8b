import type { Row, Running } from '../run.ts'
import type { Type } from '../values/types.ts'
import type { Value } from '../values/value.ts'

/** A compiled expression of a known type. */
export interface Expression {
  readonly type: Type
  readonly typmod: number
  evaluate(row: Row): Value
  /**
   * A literal in quotes or NULL, or a parameter, whose type is still open: it takes the one that is
   * asked of it.
   */
  readonly open?:
    | { kind: 'literal'; text: string | null; position: number }
    | { kind: 'parameter'; number: number; position: number }
  readonly constant?: boolean
}

/**
 * A part that may wait, evaluated before the expression that it stands in: pg_sleep, advisory
 * locks, a subquery that locks rows.
 */
export interface WaitingPart {
  /** Once for each statement, or for each row. */
  readonly once: boolean
  run(row: Row): Running<Value>
}

/** An expression with the parts to evaluate before it. */
export interface Clause extends Expression {
  readonly parts: readonly WaitingPart[]
  /**
   * It asks whether there is a row of a subquery that fits this one: PostgreSQL makes a join of it.
   */
  readonly joins?: boolean
}

export function* evaluateClause(clause: Clause, row: Row): Running<Value> {
  if (clause.parts.length > 0) yield* evaluateParts(clause.parts, row)
  return clause.evaluate(row)
}

export const mayWait = ({ parts }: Clause): boolean => parts.length > 0

/** Where none of them may wait, without a generator, which costs more than most clauses. */
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
