import { SqlError } from '../sql-error.ts'
import { toInteger } from '../values/casts.ts'
import { Decimal } from '../values/decimal.ts'
import { type Type, types } from '../values/types.ts'
import type { Value } from '../values/value.ts'
import type { Analysis } from './analysis.ts'
import { coerce } from './coerce.ts'
import type { Expression } from './expression.ts'
import { strict } from './strict.ts'

const order = ['int2', 'int4', 'int8', 'numeric', 'float4', 'float8']

/** Compiles + - * / % ^ on numbers. The result has the wider type of the two operands. */
export function arithmetic(analysis: Analysis, name: string, left: Expression, right: Expression): Expression | null {
  if (!['+', '-', '*', '/', '%', '^'].includes(name)) return null
  const rank = ({ type }: Expression) => order.indexOf(type.name)
  let at = Math.max(rank(left), rank(right))
  if (at < 0 || [left, right].some((one) => rank(one) < 0 && one.type !== types.unknown)) return null
  if (at === 4 && rank(left) !== rank(right)) at = 5
  if (name === '^') at = at === 3 ? 3 : 5
  const type = [types.int2, types.int4, types.int8, types.numeric, types.float4, types.float8][at]!
  const a = coerce(analysis, left, type, 'implicit')
  const b = coerce(analysis, right, type, 'implicit')
  if (!a || !b || (name === '%' && at > 3) || (name === '^' && at === 3)) return null
  return strict(type, a, b, (x, y) => compute(name, type, x, y))
}

export function compute(name: string, type: Type, a: Value, b: Value): Value {
  if (type === types.numeric) return onDecimals(name, a as Decimal, b as Decimal)
  if (type === types.float8 || type === types.float4) return onFloats(name, type, a as number, b as number)
  const [x, y] = [BigInt(a as number | bigint), BigInt(b as number | bigint)]
  if ((name === '/' || name === '%') && y === 0n) throw new SqlError('22012', 'division by zero')
  const result = name === '+' ? x + y : name === '-' ? x - y : name === '*' ? x * y : name === '/' ? x / y : x % y
  return toInteger(result, type)
}

function onDecimals(name: string, a: Decimal, b: Decimal): Decimal {
  if (name === '+') return a.plus(b)
  if (name === '-') return a.minus(b)
  if (name === '*') return a.times(b)
  return name === '/' ? a.over(b) : a.modulo(b)
}

function onFloats(name: string, type: Type, a: number, b: number): number {
  if (name === '/' && b === 0) throw new SqlError('22012', 'division by zero')
  const result = name === '+' ? a + b : name === '-' ? a - b : name === '*' ? a * b : name === '/' ? a / b : a ** b
  if (!Number.isFinite(result) && Number.isFinite(a) && Number.isFinite(b))
    throw new SqlError('22003', 'value out of range: overflow')
  return type === types.float4 ? Math.fround(result) : result
}

export function negated(operand: Expression): Expression {
  const { type } = operand
  return {
    type,
    typmod: -1,
    constant: operand.constant === true,
    evaluate(row) {
      const value = operand.evaluate(row)
      if (value === null) return null
      if (type === types.interval) {
        const { months, days, us } = value as { months: number; days: number; us: number }
        return { months: -months || 0, days: -days || 0, us: -us || 0 }
      }
      if (type.name.startsWith('float')) return -(value as number)
      return compute('-', type, type === types.numeric ? new Decimal(0n, 0) : 0, value)
    },
  }
}
