import type { Run } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { bitsOf, numberOf } from './bits.ts'
import { Decimal } from './decimal.ts'
import { formatJsonb, kindOf, parseJson } from './jsonb.ts'
import { day } from './timestamps.ts'
import { type Type, types } from './types.ts'
import { JsonbValue, type Value } from './value.ts'

type Cast = (value: Value, run: Run) => Value

const ranges: Readonly<Record<string, readonly [least: number, most: number]>> = {
  int2: [-32768, 32767],
  int4: [-2147483648, 2147483647],
  oid: [0, 4294967295],
}

/** Converts an integer to an integer type. @throws SqlError 22003 */
export function toInteger(value: bigint | number, type: Type): Value {
  if (type.name === 'int8') {
    const whole = BigInt(value)
    if (whole < -(2n ** 63n) || whole >= 2n ** 63n) throw new SqlError('22003', 'bigint out of range')
    return whole
  }
  const [least, most] = ranges[type.name]!
  if (value < least || value > most) throw new SqlError('22003', `${type.title} out of range`)
  return Number(value)
}

/** Rounds to the nearest integer, ties to even. */
export function roundHalfEven(value: number): number {
  const floor = Math.floor(value)
  const rest = value - floor
  if (rest !== 0.5) return Math.round(value)
  return floor % 2 === 0 ? floor : floor + 1 || (value < 0 ? -0 : 0)
}

/** The function that casts a value. `typmod` is the number of bits if the target is `bit`. */
export function castFunction(from: Type, to: Type, typmod = -1): Cast {
  if (from.element && to.element) {
    const item = castFunction(from.element, to.element)
    return (value, run) => (value as readonly Value[]).map((one) => (one === null ? null : item(one, run)))
  }
  const integer = to.name in ranges || to === types.int8
  const isInteger = from.name in ranges || from === types.int8
  if (from === to || (from.category === 'V' && to.category === 'V')) return (value) => value
  if (to === types.bit && isInteger) return (value) => bitsOf(value, Math.max(typmod, 1))
  if (from.category === 'V' && integer) return (value) => numberOf(value as string, to)
  if (integer && isInteger) return (value) => toInteger(value as number | bigint, to)
  if (integer && (from === types.float8 || from === types.float4)) {
    return (value) => {
      if (!Number.isFinite(value)) throw new SqlError('22003', `${to.title} out of range`)
      return toInteger(roundHalfEven(value as number), to)
    }
  }
  if (integer && from === types.numeric) return (value) => toInteger((value as Decimal).rounded(0).units, to)
  if (integer && from === types.bool) return (value) => (value ? 1 : 0)
  if (to === types.numeric && (isInteger || from.name.startsWith('float')))
    return (value) => Decimal.of(value as number | bigint)
  if (to === types.float8 || to === types.float4) {
    const shorten = to === types.float4 ? Math.fround : (value: number) => value
    if (isInteger) return (value) => shorten(Number(value))
    if (from === types.numeric) return (value) => shorten((value as Decimal).toNumber())
    if (from.name.startsWith('float')) return (value) => shorten(value as number)
  }
  if (to === types.bool && isInteger) return (value) => value !== 0
  if (from === types.bool && to.category === 'S') return (value) => (value ? 'true' : 'false')
  if (from === types.bpchar && to.category === 'S') return (value) => (value as string).trimEnd()
  const stamps = [types.timestamp, types.timestamptz]
  if (from === types.date && stamps.includes(to)) return (value) => (value as number) * day
  if (stamps.includes(from) && stamps.includes(to)) return (value) => value
  if (stamps.includes(from) && to === types.date) return (value) => Math.floor((value as number) / day)
  if (stamps.includes(from) && to === types.time)
    return (value) => (Number.isFinite(value) ? (value as number) - Math.floor((value as number) / day) * day : null)
  if (from === types.json && to === types.jsonb) return (value) => new JsonbValue(parseJson(value as string))
  if (from === types.jsonb && (to.category === 'N' || to === types.bool))
    return (value, run) => fromJsonb(value as JsonbValue, to, run)
  if (from === types.jsonb && (to.category === 'S' || to === types.json))
    return (value) => formatJsonb((value as JsonbValue).json)
  if (to.category === 'S') return (value) => from.write(value)
  if (from.category === 'S') return (value, run) => to.read(value as string, run.backend.database.host.nowUs())
  throw new UnsupportedSql(`the cast from ${from.title} to ${to.title}`)
}

function fromJsonb({ json }: JsonbValue, to: Type, run: Run): Value {
  const kind = kindOf(json)
  if (kind !== (to === types.bool ? 'boolean' : 'number')) {
    const title = to === types.numeric ? 'numeric' : to.title
    throw new SqlError('22023', `cannot cast jsonb ${kind} to type ${title}`)
  }
  return to === types.bool
    ? (json as boolean)
    : to === types.numeric
      ? (json as Decimal)
      : castFunction(types.numeric, to)(json as Decimal, run)
}
