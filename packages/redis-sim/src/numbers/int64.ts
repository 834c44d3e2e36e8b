/**
 * 64-bit signed integers as Redis parses and adds them. A value is a `number` if a double can
 * represent it exactly, and a `bigint` otherwise, so the hot path does not allocate.
 */
export type Int64 = number | bigint

export const int64Max = 2n ** 63n - 1n
export const int64Min = -(2n ** 63n)

/**
 * Parses an integer; undefined if the text is invalid. Source: string2ll of Redis 7.0, which
 * accepts no plus sign, no leading zeros and no blanks.
 */
export function parseInt64(text: string): Int64 | undefined {
  const length = text.length
  if (length === 0 || length > 20) return undefined
  const first = text.charCodeAt(0)
  if (length === 1) return first >= 48 && first <= 57 ? first - 48 : undefined
  const negative = first === 45
  const start = negative ? 1 : 0
  const lead = negative ? text.charCodeAt(1) : first
  if (lead < 49 || lead > 57) return undefined
  let value = lead - 48
  for (let at = start + 1; at < length; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return undefined
    value = value * 10 + digit
  }
  if (length - start <= 15) return negative ? -value : value
  return checked(BigInt(text))
}

/** Undefined on overflow. */
export function addInt64(a: Int64, b: Int64): Int64 | undefined {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (Number.isSafeInteger(sum)) return sum
  }
  return checked(BigInt(a) + BigInt(b))
}

/** Undefined on overflow. */
export function multiplyInt64(a: Int64, b: Int64): Int64 | undefined {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b
    if (Number.isSafeInteger(product)) return product
  }
  return checked(BigInt(a) * BigInt(b))
}

/**
 * Converts an integer to an index or a count. A value that a double cannot represent exceeds any
 * length anyway.
 */
export function toIndex(value: Int64): number {
  return Number(value)
}

function checked(value: bigint): Int64 | undefined {
  if (value > int64Max || value < int64Min) return undefined
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value
}

/** Wraps an overflowed sum, as C does. */
export function asInt64(value: bigint): Int64 {
  return checked(BigInt.asIntN(64, value))!
}
