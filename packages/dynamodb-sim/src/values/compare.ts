import { type AttributeValue, memberOf, typeOf } from './attribute-value.ts'
import { compareDecimals, parseDecimal } from './decimal.ts'

/**
 * True if type and content are equal. The order of sets does not count; maps and lists are compared
 * member by member.
 */
export function equal(left: AttributeValue, right: AttributeValue): boolean {
  const type = typeOf(left)
  if (type !== typeOf(right)) return false
  switch (type) {
    case 'SS':
    case 'NS':
    case 'BS':
      return left[type]!.length === right[type]!.length && left[type]!.every((one) => right[type]!.includes(one))
    case 'L':
      return left.L!.length === right.L!.length && left.L!.every((one, at) => equal(one, right.L![at]!))
    case 'M':
      return equalMaps(left.M!, right.M!)
    default:
      return left[type] === right[type]
  }
}

function equalMaps(left: Readonly<Record<string, AttributeValue>>, right: typeof left): boolean {
  const names = Object.keys(left)
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => {
      const other = memberOf(right, name)
      return other !== undefined && equal(memberOf(left, name)!, other)
    })
  )
}

/**
 * Compares two values: negative, 0 or positive; null if the values have no order. Strings are
 * compared by UTF-8 bytes, binaries as unsigned bytes.
 */
export function order(left: AttributeValue, right: AttributeValue): number | null {
  if (left.N !== undefined && right.N !== undefined)
    return compareDecimals(parseDecimal(left.N)!, parseDecimal(right.N)!)
  if (left.S !== undefined && right.S !== undefined) return Buffer.compare(Buffer.from(left.S), Buffer.from(right.S))
  if (left.B !== undefined && right.B !== undefined) return Buffer.compare(bytesOf(left.B), bytesOf(right.B))
  return null
}

export function bytesOf(base64: string): Buffer {
  return Buffer.from(base64, 'base64')
}
