import { SqlError } from '../sql-error.ts'
import { Decimal } from './decimal.ts'
import { parseJson } from './jsonb.ts'
import type { Value } from './value.ts'

function invalid(type: string, given: string): SqlError {
  return new SqlError('22P02', `invalid input syntax for type ${type}: "${given}"`)
}

export function readInteger(type: string, bits: number) {
  const limit = 1n << BigInt(bits - 1)
  return (given: string): bigint => {
    if (!/^\s*[+-]?\d+\s*$/.test(given)) throw invalid(type, given)
    const value = BigInt(given.trim().replace(/^\+/, ''))
    if (value < -limit || value >= limit)
      throw new SqlError('22003', `value "${given}" is out of range for type ${type}`)
    return value
  }
}

export function readBoolean(given: string): boolean {
  const word = given.trim().toLowerCase()
  if (word !== '') {
    for (const [name, least, value] of booleans) if (word.length >= least && name.startsWith(word)) return value
  }
  throw invalid('boolean', given)
}

const booleans: readonly (readonly [name: string, least: number, value: boolean])[] = [
  ['true', 1, true],
  ['false', 1, false],
  ['yes', 1, true],
  ['no', 1, false],
  ['on', 2, true],
  ['off', 2, false],
  ['1', 1, true],
  ['0', 1, false],
]

/** Parses a bit string: `1010` and `b1010` are binary, `xA` is hexadecimal. */
export function readBits(given: string): string {
  const isHexadecimal = /^x/i.test(given)
  const digits = given.replace(/^[bx]/i, '')
  const [strange] = (isHexadecimal ? /[^0-9a-f]/iu : /[^01]/u).exec(digits) ?? []
  if (strange !== undefined)
    throw new SqlError('22P02', `"${strange}" is not a valid ${isHexadecimal ? 'hexadecimal' : 'binary'} digit`)
  return isHexadecimal
    ? [...digits].map((one) => Number.parseInt(one, 16).toString(2).padStart(4, '0')).join('')
    : digits
}

export function readFloat(title: string) {
  return (given: string): number => {
    const word = given.trim().toLowerCase()
    if (word === 'nan') return Number.NaN
    if (/^[+]?inf(inity)?$/.test(word)) return Infinity
    if (/^-inf(inity)?$/.test(word)) return -Infinity
    if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(word)) throw invalid(title, given)
    const value = Number(word)
    if (!Number.isFinite(value)) throw new SqlError('22003', `"${given}" is out of range for type ${title}`)
    return value
  }
}

export function writeFloat(value: Value): string {
  const given = value as number
  if (!Number.isFinite(given)) return Number.isNaN(given) ? 'NaN' : given > 0 ? 'Infinity' : '-Infinity'
  if (Object.is(given, -0)) return '-0'
  const [digits, power] = given.toExponential().split('e') as [string, string]
  const exponent = Number(power)
  if (given !== 0 && (exponent < -4 || exponent >= 15)) {
    return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
  }
  return String(given)
}

export function readUuid(given: string): string {
  const found = /^\{?([0-9a-fA-F]{4}-?){8}\}?$/.exec(given)
  if (!found || given.startsWith('{') !== given.endsWith('}')) throw invalid('uuid', given)
  const hex = given.replace(/[{}-]/g, '').toLowerCase()
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** Parses a WAL position: two 32-bit halves of a 64-bit number, in hexadecimal. */
export function readLsn(given: string): bigint {
  const halves = /^([0-9a-fA-F]{1,8})\/([0-9a-fA-F]{1,8})$/.exec(given)
  if (!halves) throw invalid('pg_lsn', given)
  return (BigInt(`0x${halves[1]}`) << 32n) | BigInt(`0x${halves[2]}`)
}

export function writeLsn(value: bigint): string {
  return `${(value >> 32n).toString(16)}/${(value & 0xffffffffn).toString(16)}`.toUpperCase()
}

export function readBytes(given: string): string {
  if (given.startsWith('\\x')) {
    const hex = given.slice(2).replace(/\s/g, '')
    const bad = /[^0-9a-fA-F]/.exec(hex)?.[0]
    if (bad !== undefined) throw new SqlError('22023', `invalid hexadecimal digit: "${bad}"`)
    if (hex.length % 2 === 1) throw new SqlError('22023', 'invalid hexadecimal data: odd number of digits')
    return `\\x${hex.toLowerCase()}`
  }
  let hex = ''
  const bytes = new TextEncoder().encode(given)
  for (let i = 0; i < bytes.length; i++) {
    let byte = bytes[i]!
    if (byte === 92) {
      const octal = /^\\([0-3][0-7][0-7])/.exec(String.fromCharCode(...bytes.slice(i, i + 4)))
      if (bytes[i + 1] === 92) i++
      else if (octal) {
        byte = Number.parseInt(octal[1]!, 8)
        i += 3
      } else throw invalid('bytea', given)
    }
    hex += byte.toString(16).padStart(2, '0')
  }
  return `\\x${hex}`
}

export function readTime(given: string): number {
  const found = /^\s*(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d*)?))?\s*$/.exec(given)
  if (!found) throw new SqlError('22007', `invalid input syntax for type time: "${given}"`)
  return Number(found[1]) * 3600e6 + Number(found[2]) * 60e6 + Math.round(Number(found[3] ?? 0) * 1e6)
}

export function readJsonText(given: string): string {
  parseJson(given, false)
  return given
}

export function readNumeric(given: string): Decimal {
  const parsed = Decimal.parse(given)
  if (!parsed) throw invalid('numeric', given)
  return parsed
}
