import { type AttributeValue, type Item, typeOf } from './attribute-value.ts'
import { bytesOf } from './compare.ts'
import { magnitude, parseDecimal, significant } from './decimal.ts'

/** Maximum size of an item in bytes, including attribute names. */
export const largestItem = 400 * 1024

/**
 * The size of an item in bytes, for limits and capacity (developer guide, "DynamoDB item sizes and
 * formats").
 */
export function itemSize(item: Item): number {
  let size = 0
  for (const [name, value] of Object.entries(item)) size += Buffer.byteLength(name) + valueSize(value)
  return size
}

function valueSize(value: AttributeValue): number {
  const type = typeOf(value)
  switch (type) {
    case 'S':
      return Buffer.byteLength(value.S!)
    case 'N':
      return numberSize(value.N!)
    case 'B':
      return bytesOf(value.B!).length
    case 'SS':
      return total(value.SS!, (text) => Buffer.byteLength(text))
    case 'NS':
      return total(value.NS!, numberSize)
    case 'BS':
      return total(value.BS!, (text) => bytesOf(text).length)
    case 'L':
      return 3 + total(value.L!, (member) => 1 + valueSize(member))
    case 'M':
      return 3 + Object.keys(value.M!).length + itemSize(value.M!)
    default:
      return 1
  }
}

/**
 * The size of a number in bytes: one for the exponent, one for every two digits (pairs begin at
 * even powers of ten), and one for a minus sign.
 */
function numberSize(text: string): number {
  const decimal = parseDecimal(text)!
  if (decimal.digits === 0n) return 1
  const before = magnitude(decimal) % 2 === 0 ? 1 : 0
  return 1 + Math.ceil((significant(decimal).length + before) / 2) + (decimal.digits < 0n ? 1 : 0)
}

function total<T>(members: readonly T[], sizeOf: (member: T) => number): number {
  return members.reduce((size, member) => size + sizeOf(member), 0)
}
