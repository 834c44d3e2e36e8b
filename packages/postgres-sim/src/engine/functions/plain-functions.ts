import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { roundHalfEven } from '../values/casts.ts'
import { Decimal } from '../values/decimal.ts'
import { type Type, types } from '../values/types.ts'
import { byteLength } from '../values/utf8.ts'
import type { Value } from '../values/value.ts'
import type { SqlFunction } from './function.ts'
import { hashBytes } from './hash-bytes.ts'
import { md5 } from './md5.ts'
import { sha2 } from './sha-256.ts'

const { text, int4, int8, float8, numeric, bytea, bit } = types
const utf8 = (value: Value) => new TextEncoder().encode(value as string)

function hexBytes(value: Value): Uint8Array {
  const hex = (value as string).slice(2)
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) => Number.parseInt(hex.slice(i * 2, i * 2 + 2), 16))
}

/** The bytes of a 32-bit integer in little-endian order. */
const wordBytes = (value: number) => Uint8Array.from([0, 8, 16, 24], (by) => (value >>> by) & 255)

const define = (
  name: string,
  args: readonly Type[],
  result: Type,
  call: (...values: never[]) => Value,
): SqlFunction => ({
  name,
  args,
  result,
  call: (values) => (call as (...values: readonly Value[]) => Value)(...values),
})

function substring(from: string, start: number, length?: number): string {
  if (length !== undefined && length < 0) throw new SqlError('22011', 'negative substring length not allowed')
  const characters = [...from]
  const end = length === undefined ? characters.length : start - 1 + length
  return characters.slice(Math.max(0, start - 1), Math.max(0, end)).join('')
}

function trim(given: string, set: string, left: boolean, right: boolean): string {
  const characters = [...given]
  let [from, to] = [0, characters.length]
  while (left && from < to && set.includes(characters[from]!)) from++
  while (right && to > from && set.includes(characters[to - 1]!)) to--
  return characters.slice(from, to).join('')
}

/** These functions change only ASCII letters, as the collation C does. */
const upper = (given: string) => given.replace(/[a-z]/g, (one) => one.toUpperCase())
const lower = (given: string) => given.replace(/[A-Z]/g, (one) => one.toLowerCase())

function pad(given: string, length: number, fill: string, left: boolean): string {
  const characters = [...given]
  if (characters.length >= length) return characters.slice(0, Math.max(0, length)).join('')
  if (fill === '') return given
  const more = [...fill.repeat(length)].slice(0, length - characters.length).join('')
  return left ? more + given : given + more
}

/**
 * Functions that depend only on their arguments: https://www.postgresql.org/docs/15/functions.html
 */
export const plainFunctions: readonly SqlFunction[] = [
  define('lower', [text], text, lower),
  define('upper', [text], text, upper),
  define('length', [text], int4, (given: string) => [...given].length),
  define('char_length', [text], int4, (given: string) => [...given].length),
  define('length', [bit], int4, (given: string) => given.length),
  define('octet_length', [bit], int4, (given: string) => Math.ceil(given.length / 8)),
  define('octet_length', [text], int4, (given: string) => byteLength(given)),
  define('length', [bytea], int4, (given: string) => (given.length - 2) / 2),
  define('md5', [text], text, (given: string) => md5(utf8(given))),
  define('md5', [bytea], text, (given: string) => md5(hexBytes(given))),
  define('sha224', [bytea], bytea, (given: string) => `\\x${sha2(224, hexBytes(given))}`),
  define('sha256', [bytea], bytea, (given: string) => `\\x${sha2(256, hexBytes(given))}`),
  define('hashint4', [int4], int4, (given: number) => hashBytes(wordBytes(given))[1]),
  define('hashint8', [int8], int4, (given: bigint) => {
    const high = Number(BigInt.asIntN(32, given >> 32n))
    return hashBytes(wordBytes(Number(BigInt.asIntN(32, given)) ^ (given >= 0n ? high : ~high)))[1]
  }),
  define('hashtext', [text], int4, (given: string) => hashBytes(utf8(given))[1]),
  define('hashtextextended', [text, int8], int8, (given: string, seed: bigint) => {
    const [b, c] = hashBytes(utf8(given), seed)
    return BigInt.asIntN(64, (BigInt.asUintN(32, BigInt(b)) << 32n) | BigInt.asUintN(32, BigInt(c)))
  }),
  define('substring', [text, int4], text, (given: string, start: number) => substring(given, start)),
  define('substring', [text, int4, int4], text, substring),
  define('substring', [bit, int4], bit, (given: string, start: number) => substring(given, start)),
  define('substring', [bit, int4, int4], bit, substring),
  ...[2, 3].map((count) =>
    define('substring', [text, text, text].slice(0, count), text, () => {
      throw new UnsupportedSql('substring() by a regular expression')
    }),
  ),
  define('substr', [text, int4], text, (given: string, start: number) => substring(given, start)),
  define('substr', [text, int4, int4], text, substring),
  define('left', [text, int4], text, (given: string, n: number) => [...given].slice(0, n).join('')),
  define('right', [text, int4], text, (given: string, n: number) => (n === 0 ? '' : [...given].slice(-n).join(''))),
  define('btrim', [text], text, (given: string) => trim(given, ' ', true, true)),
  define('btrim', [text, text], text, (given: string, set: string) => trim(given, set, true, true)),
  define('ltrim', [text], text, (given: string) => trim(given, ' ', true, false)),
  define('ltrim', [text, text], text, (given: string, set: string) => trim(given, set, true, false)),
  define('rtrim', [text], text, (given: string) => trim(given, ' ', false, true)),
  define('rtrim', [text, text], text, (given: string, set: string) => trim(given, set, false, true)),
  define('replace', [text, text, text], text, (given: string, from: string, to: string) =>
    from === '' ? given : given.replaceAll(from, () => to),
  ),
  define('repeat', [text, int4], text, (given: string, n: number) => given.repeat(Math.max(0, n))),
  define('lpad', [text, int4], text, (given: string, n: number) => pad(given, n, ' ', true)),
  define('lpad', [text, int4, text], text, (given: string, n: number, fill: string) => pad(given, n, fill, true)),
  define('rpad', [text, int4], text, (given: string, n: number) => pad(given, n, ' ', false)),
  define('rpad', [text, int4, text], text, (given: string, n: number, fill: string) => pad(given, n, fill, false)),
  define(
    'strpos',
    [text, text],
    int4,
    (given: string, part: string) =>
      [...given.slice(0, Math.max(0, given.indexOf(part)))].length + (given.includes(part) ? 1 : 0),
  ),
  define('starts_with', [text, text], types.bool, (given: string, part: string) => given.startsWith(part)),
  define('split_part', [text, text, int4], text, (given: string, by: string, n: number) => {
    if (n === 0) throw new SqlError('22023', 'field position must not be zero')
    const parts = by === '' ? [given] : given.split(by)
    return parts[n > 0 ? n - 1 : parts.length + n] ?? ''
  }),
  define('abs', [int4], int4, (n: number) => Math.abs(n)),
  define('abs', [int8], int8, (n: bigint) => (n < 0n ? -n : n)),
  define('abs', [numeric], numeric, (n: Decimal) => new Decimal(n.units < 0n ? -n.units : n.units, n.scale)),
  define('abs', [float8], float8, (n: number) => Math.abs(n)),
  define('floor', [numeric], numeric, (n: Decimal) => whole(n, -1)),
  define('floor', [float8], float8, (n: number) => Math.floor(n)),
  define('ceil', [numeric], numeric, (n: Decimal) => whole(n, 1)),
  define('ceil', [float8], float8, (n: number) => Math.ceil(n)),
  define('ceiling', [numeric], numeric, (n: Decimal) => whole(n, 1)),
  define('ceiling', [float8], float8, (n: number) => Math.ceil(n)),
  define('round', [numeric], numeric, (n: Decimal) => n.rounded(0)),
  define('round', [numeric, int4], numeric, (n: Decimal, scale: number) => n.rounded(scale)),
  define('round', [float8], float8, roundHalfEven),
  define('trunc', [numeric], numeric, (n: Decimal) => new Decimal(n.truncated(), 0)),
  define('mod', [int4, int4], int4, (a: number, b: number) => remainder(BigInt(a), BigInt(b), Number)),
  define('mod', [int8, int8], int8, (a: bigint, b: bigint) => remainder(a, b, (value) => value)),
  define('power', [float8, float8], float8, (a: number, b: number) => a ** b),
  define('sqrt', [float8], float8, (a: number) => Math.sqrt(a)),
  define('encode', [bytea, text], text, (given: string, format: string) => {
    if (format.toLowerCase() === 'hex') return given.slice(2)
    throw new SqlError('0A000', `encode() as ${format} is not simulated`)
  }),
  define('decode', [text, text], bytea, (given: string, format: string) => {
    if (format.toLowerCase() === 'hex') return bytea.read(`\\x${given}`, 0)
    throw new SqlError('0A000', `decode() of ${format} is not simulated`)
  }),
  define('get_byte', [bytea, int4], int4, (given: string, at: number) => {
    const bytes = hexBytes(given)
    if (at >= 0 && at < bytes.length) return bytes[at]!
    throw new SqlError('2202E', `index ${at} out of valid range, 0..${bytes.length - 1}`)
  }),
  define('to_hex', [int4], text, (given: number) => (given >>> 0).toString(16)),
  define('to_hex', [int8], text, (given: bigint) => BigInt.asUintN(64, given).toString(16)),
  define('ascii', [text], int4, (given: string) => given.codePointAt(0) ?? 0),
  define('translate', [text, text, text], text, (given: string, from: string, to: string) => {
    const [named, instead] = [[...from], [...to]]
    return [...given].map((one) => (named.includes(one) ? (instead[named.indexOf(one)] ?? '') : one)).join('')
  }),
  define('to_timestamp', [float8], types.timestamptz, (seconds: number) => {
    if (Number.isNaN(seconds)) throw new SqlError('22008', 'timestamp cannot be NaN')
    return Math.round(seconds * 1e6)
  }),
]

function whole(n: Decimal, direction: 1 | -1): Decimal {
  const cut = new Decimal(n.truncated(), 0)
  const beyond = cut.compare(n)
  if (beyond === 0 || beyond === direction) return cut
  return new Decimal(cut.units + BigInt(direction), 0)
}

function remainder(a: bigint, b: bigint, as: (value: bigint) => Value): Value {
  if (b === 0n) throw new SqlError('22012', 'division by zero')
  return as(a % b)
}
