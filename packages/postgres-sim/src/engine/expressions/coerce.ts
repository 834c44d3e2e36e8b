import type { Row } from '../run.ts'
import { SqlError } from '../sql-error.ts'
import { castFunction } from '../values/casts.ts'
import { type Type, types } from '../values/types.ts'
import { applyTypmod } from '../values/typmods.ts'
import type { Value } from '../values/value.ts'
import type { Analysis } from './analysis.ts'
import type { Expression } from './expression.ts'
import { isStableCast } from './stable-casts.ts'

/**
 * The context of a cast: `explicit` if the statement contains the cast, `assignment` if a column is
 * assigned, otherwise `implicit`.
 */
export type CastContext = 'explicit' | 'assignment' | 'implicit'

const numericOrder = ['int2', 'int4', 'int8', 'numeric', 'float4', 'float8']

/**
 * True if PostgreSQL casts between these simulated types in this context:
 * https://www.postgresql.org/docs/15/sql-createcast.html
 */
export function canCast(from: Type, to: Type, context: CastContext): boolean {
  if (from === to || from === types.unknown) return true
  if (from.element && to.element) return canCast(from.element, to.element, context)
  const [a, b] = [from.name, to.name]
  const [left, right] = [numericOrder.indexOf(a), numericOrder.indexOf(b)]
  if (left >= 0 && right >= 0) return context !== 'implicit' || left <= right
  const strings = ['text', 'varchar', 'bpchar', 'name']
  if (strings.includes(a) && strings.includes(b)) return true
  if (a === 'char' && b === 'text') return true
  if (left >= 0 && left <= 2 && b === 'oid') return true
  if (a === 'oid' && (b === 'int8' || b === 'int4')) return b === 'int8' || context !== 'implicit'
  if ((a === 'int4' && b === 'bool') || (a === 'bool' && b === 'int4')) return context === 'explicit'
  if (from.category === 'V' && to.category === 'V') return true
  if ((a === 'bit' && right > 0 && right < 3) || (left > 0 && left < 3 && b === 'bit')) return context === 'explicit'
  if (a === 'date') {
    if (b === 'timestamp' || b === 'timestamptz') return true
  }
  if (a === 'timestamp') {
    if (b === 'timestamptz') return true
    if (b === 'date' || b === 'time') return context !== 'implicit'
  }
  if (a === 'timestamptz' && (b === 'timestamp' || b === 'date' || b === 'time')) return context !== 'implicit'
  if (a === 'time' && b === 'interval') return true
  if (a === 'interval' && b === 'time') return context !== 'implicit'
  if ((a === 'json' && b === 'jsonb') || (a === 'jsonb' && b === 'json')) return context !== 'implicit'
  if (a === 'jsonb' && (left >= 0 || right >= 0 || b === 'bool')) return context === 'explicit'
  if (a === 'regclass' && (b === 'oid' || b === 'int8')) return true
  // Types for which pg_cast has no cast are converted through text: to strings in assignments, from
  // strings only in explicit casts.
  if (['text', 'varchar', 'bpchar'].includes(b)) return context !== 'implicit'
  if (strings.includes(a)) return context === 'explicit' || (b === 'regclass' && context === 'implicit')
  return false
}

/**
 * Converts an expression to a type. Returns null if PostgreSQL has no such cast in this context.
 */
export function coerce(
  analysis: Analysis,
  expression: Expression,
  to: Type,
  context: CastContext,
  typmod = -1,
): Expression | null {
  const { open } = expression
  if (open?.kind === 'literal') return literal(analysis, open.text, open.position, to, typmod, context)
  if (open?.kind === 'parameter') {
    const typed = analysis.parameterAs(open.number, to)
    return typmod === -1 ? typed : sized(typed, typmod, context)
  }
  if (expression.type === to)
    return typmod === -1 || typmod === expression.typmod ? expression : sized(expression, typmod, context)
  if (!canCast(expression.type, to, context)) return null
  analysis.callsMutable ||= isStableCast(expression.type, to)
  const cast = castFunction(expression.type, to, typmod)
  const converted: Expression = {
    type: to,
    typmod: -1,
    constant: expression.constant === true,
    evaluate(row: Row) {
      const value = expression.evaluate(row)
      return value === null ? null : cast(value, row.run)
    },
  }
  // The cast from a number to bits has already applied the length.
  if (typmod === -1 || (to === types.bit && expression.type.category === 'N')) return { ...converted, typmod }
  return sized(converted, typmod, context)
}

function literal(
  analysis: Analysis,
  text: string | null,
  position: number,
  to: Type,
  typmod: number,
  context: CastContext,
): Expression {
  let value: Value = null
  if (text !== null) {
    try {
      value = analysis.literal(to, text)
    } catch (error) {
      throw error instanceof SqlError && error.position === undefined && position > 0 ? error.with({ position }) : error
    }
    if (typmod !== -1) value = applyTypmod(value, to, typmod, context === 'explicit')
  }
  return { type: to, typmod, constant: true, evaluate: () => value }
}

function sized(expression: Expression, typmod: number, context: CastContext): Expression {
  return {
    type: expression.type,
    typmod,
    constant: expression.constant === true,
    evaluate(row) {
      const value = expression.evaluate(row)
      return value === null ? null : applyTypmod(value, expression.type, typmod, context === 'explicit')
    },
  }
}
