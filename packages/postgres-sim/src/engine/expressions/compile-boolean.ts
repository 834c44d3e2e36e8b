import { SqlError } from '../sql-error.ts'
import { types } from '../values/types.ts'
import type { Analysis } from './analysis.ts'
import { coerce } from './coerce.ts'
import type { Expression } from './expression.ts'

/**
 * Converts an expression to a boolean. `title` names the clause or operator that needs a boolean,
 * for error messages. `location` is a byte offset from 0.
 */
export function toBoolean(analysis: Analysis, expression: Expression, title: string, location: number): Expression {
  const cast = coerce(analysis, expression, types.bool, 'implicit')
  if (cast) return cast
  throw new SqlError('42804', `argument of ${title} must be type boolean, not type ${expression.type.title}`, {
    position: location + 1,
  })
}
