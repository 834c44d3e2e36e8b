import { createHash } from 'node:crypto'
import type { AttributeValue } from '../values/attribute-value.ts'
import { bytesOf } from '../values/compare.ts'
import { magnitude, parseDecimal, significant } from '../values/decimal.ts'

/**
 * Position of a partition in a scan. The service guarantees no order. The order here is the one
 * that authors of independent emulators observed: by the MD5 hash of a fixed word and the bytes of
 * the partition key.
 */
export function placeOf(partitionKey: AttributeValue): string {
  return createHash('md5').update('Outliers').update(keyBytes(partitionKey)).digest('hex').slice(0, 6)
}

function keyBytes(value: AttributeValue): Buffer {
  if (value.S !== undefined) return Buffer.from(value.S)
  return value.B !== undefined ? bytesOf(value.B) : numberBytes(value.N!)
}

/**
 * Text that sorts in the order of the values: strings by UTF-8 bytes, binaries as unsigned bytes,
 * numbers by value.
 */
export function sortText(value: AttributeValue): string {
  if (value.S !== undefined) return Buffer.from(value.S).toString('hex')
  return value.B !== undefined ? bytesOf(value.B).toString('hex') : numberSortText(value.N!)
}

/**
 * The sort text of a number: sign, exponent, digits. For negative numbers, exponent and digits are
 * inverted.
 */
function numberSortText(text: string): string {
  const decimal = parseDecimal(text)!
  const digits = significant(decimal)
  if (decimal.digits === 0n) return '1000'
  if (decimal.digits > 0n) return `1${padded(magnitude(decimal) + 130)}${digits}`
  // ':' sorts after every digit, so -1.5 sorts before -1.
  return `0${padded(125 - magnitude(decimal))}${digits.replace(/\d/g, (digit) => String(9 - Number(digit)))}:`
}

function padded(power: number): string {
  return String(power).padStart(3, '0')
}

/**
 * The bytes of a numeric key for hashing: an exponent of base 100, then pairs of digits plus one;
 * inverted for negative numbers.
 */
function numberBytes(text: string): Buffer {
  const decimal = parseDecimal(text)!
  if (decimal.digits === 0n) return Buffer.from([0x80])
  const power = magnitude(decimal) + 1
  const digits = (power % 2 === 0 ? '' : '0') + significant(decimal)
  const pairs = (digits.length % 2 === 0 ? digits : `${digits}0`).match(/../g)!.map(Number)
  const exponent = Math.ceil(power / 2) - 64
  if (decimal.digits > 0n) return Buffer.from([exponent, ...pairs.map((pair) => pair + 1)])
  const end = pairs.length < 20 ? [102] : []
  return Buffer.from([~exponent, ...pairs.map((pair) => 100 - pair), ...end])
}
