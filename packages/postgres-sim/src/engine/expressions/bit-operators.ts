import { combine, combined, shifted } from '../values/bits.ts'
import { toInteger } from '../values/casts.ts'
import { type Type, types } from '../values/types.ts'
import type { Value } from '../values/value.ts'
import type { Analysis } from './analysis.ts'
import { coerce } from './coerce.ts'
import type { Expression } from './expression.ts'
import { strict } from './strict.ts'

const integers = [types.int2, types.int4, types.int8]
const isBits = ({ category }: Type): boolean => category === 'V'

/** Compiles `&`, `|`, `#`, `<<` and `>>` on integers and bit strings, and `||` on bit strings. */
export function bitOperator(analysis: Analysis, name: string, left: Expression, right: Expression): Expression | null {
  const both = (type: Type, apply: (a: Value, b: Value) => Value): Expression | null => {
    const [a, b] = [left, right].map((one) => coerce(analysis, one, type, 'implicit'))
    return a && b ? strict(type, a, b, apply) : null
  }
  const known = [left.type, right.type].filter((type) => type !== types.unknown)
  if (name === '||') return known.length > 0 && known.every(isBits) ? both(types.varbit, joined) : null
  if (name === '<<' || name === '>>') return shift(analysis, name, left, right)
  if (!['&', '|', '#'].includes(name)) return null
  if (known.length > 0 && known.every(isBits))
    return both(types.bit, (a, b) => combined(name, a as string, b as string))
  const type = integers.findLast((one) => known.includes(one))
  if (type === undefined || !known.every((one) => integers.includes(one))) return null
  return both(type, (a, b) =>
    type === types.int8 ? combineLong(name, a as bigint, b as bigint) : combine(name, a as number, b as number),
  )
}

const joined = (a: Value, b: Value): string => `${a}${b}`

const combineLong = (name: string, a: bigint, b: bigint): bigint =>
  name === '&' ? a & b : name === '|' ? a | b : a ^ b

function shift(analysis: Analysis, name: string, left: Expression, right: Expression): Expression | null {
  const { type } = left
  const by = coerce(analysis, right, types.int4, 'implicit')
  if (by === null) return null
  const isLeft = name === '<<'
  if (isBits(type)) {
    const bits = coerce(analysis, left, types.bit, 'implicit')!
    return strict(types.bit, bits, by, (a, b) => shifted(a as string, isLeft ? (b as number) : -(b as number)))
  }
  if (!integers.includes(type)) return null
  return strict(type, left, by, (a, b) => shiftedNumber(a as number | bigint, b as number, isLeft, type))
}

/** Shifts like a processor, which uses only the lowest 5 or 6 bits of the shift count. */
function shiftedNumber(value: number | bigint, by: number, isLeft: boolean, type: Type): Value {
  const [bits, length] = type === types.int8 ? [64, 64] : type === types.int4 ? [32, 32] : [16, 32]
  const places = BigInt(by & (length - 1))
  const whole = BigInt(value)
  return toInteger(BigInt.asIntN(bits, isLeft ? whole << places : whole >> places), type)
}

/** Compiles `~`; null if the type of the operand is not supported. */
export function complement(operand: Expression): Expression | null {
  const { type } = operand
  if (!integers.includes(type) && !isBits(type)) return null
  return {
    type: isBits(type) ? types.bit : type,
    typmod: -1,
    constant: operand.constant === true,
    evaluate(row) {
      const value = operand.evaluate(row)
      if (value === null) return null
      if (typeof value === 'string') return value.replace(/./g, (bit) => (bit === '0' ? '1' : '0'))
      return typeof value === 'bigint' ? ~value : ~(value as number)
    },
  }
}
