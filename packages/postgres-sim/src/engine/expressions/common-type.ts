import { SqlError } from '../sql-error.ts'
import { type Type, types } from '../values/types.ts'
import type { Analysis } from './analysis.ts'
import { canCast, coerce } from './coerce.ts'
import type { Expression } from './expression.ts'

/**
 * The common type of the parts of CASE, COALESCE, VALUES, UNION and IN:
 * https://www.postgresql.org/docs/15/typeconv-union-case.html
 */
export function commonType(expressions: readonly Expression[], context: string, position?: number): Type {
  const known = expressions.filter((one) => one.type !== types.unknown)
  let type = known[0]?.type
  if (!type) return types.text
  for (const { type: other } of known.slice(1)) {
    if (other === type) continue
    if (other.category !== type.category) {
      throw new SqlError(
        '42804',
        `${context} types ${type.title} and ${other.title} cannot be matched`,
        position === undefined ? {} : { position },
      )
    }
    if (!type.preferred && canCast(type, other, 'implicit') && !canCast(other, type, 'implicit')) type = other
    else if (!type.preferred && canCast(type, other, 'implicit') && other.preferred) type = other
  }
  return type
}

export function toCommon(
  analysis: Analysis,
  expressions: readonly Expression[],
  context: string,
  position?: number,
): { type: Type; expressions: Expression[] } {
  const type = commonType(expressions, context, position)
  const coerced = expressions.map((one) => {
    const result = coerce(analysis, one, type, 'implicit')
    if (!result) {
      throw new SqlError(
        '42846',
        `${context} could not convert type ${one.type.title} to ${type.title}`,
        position === undefined ? {} : { position },
      )
    }
    return result
  })
  return { type, expressions: coerced }
}
