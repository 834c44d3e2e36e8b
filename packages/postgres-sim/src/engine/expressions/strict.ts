import type { Type } from '../values/types.ts'
import type { Value } from '../values/value.ts'
import type { Expression } from './expression.ts'

/** Makes an expression that is null if an operand is null. */
export function strict(
  type: Type,
  left: Expression,
  right: Expression,
  apply: (a: Value, b: Value) => Value,
): Expression {
  return {
    type,
    typmod: -1,
    constant: left.constant === true && right.constant === true,
    evaluate(row) {
      const a = left.evaluate(row)
      if (a === null) return null
      const b = right.evaluate(row)
      return b === null ? null : apply(a, b)
    },
  }
}
