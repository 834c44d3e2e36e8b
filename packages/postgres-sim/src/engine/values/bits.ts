import { SqlError } from '../sql-error.ts'
import { type Type, types } from './types.ts'
import type { Value } from './value.ts'

/** The lowest `length` bits of a number in two's complement. */
export const bitsOf = (value: Value, length: number): string =>
  BigInt.asUintN(length, BigInt(value as number | bigint))
    .toString(2)
    .padStart(length, '0')

/** Converts bits into an integer of 32 or 64 bits. */
export function numberOf(bits: string, type: Type): Value {
  const length = type === types.int8 ? 64 : 32
  if (bits.length > length) throw new SqlError('22003', `${type.title} out of range`)
  const number = BigInt.asIntN(length, BigInt(`0b0${bits}`))
  return type === types.int8 ? number : Number(number)
}

/** Adapts bits to the length of a column. Explicit casts truncate or append zeros. */
export function toLength(bits: string, type: Type, length: number, written: boolean): string {
  const kept = bits.slice(0, length)
  if (type === types.varbit) {
    if (written || bits.length <= length) return kept
    throw new SqlError('22001', `bit string too long for type bit varying(${length})`)
  }
  if (written || bits.length === length) return kept.padEnd(length, '0')
  throw new SqlError('22026', `bit string length ${bits.length} does not match type bit(${length})`)
}

const verbs: Readonly<Record<string, string>> = { '&': 'AND', '|': 'OR', '#': 'XOR' }

/** Applies `&`, `|` or `#` to two bit strings. */
export function combined(name: string, a: string, b: string): string {
  if (a.length !== b.length) throw new SqlError('22026', `cannot ${verbs[name]} bit strings of different sizes`)
  return [...a].map((one, i) => combine(name, Number(one), Number(b[i]))).join('')
}

export const combine = (name: string, a: number, b: number): number =>
  name === '&' ? a & b : name === '|' ? a | b : a ^ b

/** Shifts a bit string; its length does not change. */
export function shifted(bits: string, by: number): string {
  const zeros = '0'.repeat(Math.min(Math.abs(by), bits.length))
  return by >= 0 ? bits.slice(zeros.length) + zeros : zeros + bits.slice(0, bits.length - zeros.length)
}
