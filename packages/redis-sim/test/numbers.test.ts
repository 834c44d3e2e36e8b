import { describe, expect, it } from 'vitest'
import { formatDouble, parseDouble } from '../src/numbers/double.ts'
import { addInt64, parseInt64 } from '../src/numbers/int64.ts'
import { addLongDouble, formatLongDouble, infinite, parseLongDouble } from '../src/numbers/long-double.ts'

describe('64-bit integers', () => {
  it('are numbers if a double can represent them exactly; otherwise, they are bigints', () => {
    expect(parseInt64('9007199254740991')).toBe(9007199254740991)
    expect(parseInt64('9007199254740993')).toBe(9007199254740993n)
    expect(parseInt64('-9223372036854775808')).toBe(-9223372036854775808n)
    expect(addInt64(9007199254740991, 2)).toBe(9007199254740993n)
    expect(addInt64(9007199254740993n, -2)).toBe(9007199254740991)
  })

  it.each(['', ' 1', '1 ', '+1', '01', '-0', '1.0', '9223372036854775808', '-9223372036854775809', '-'])(
    'are not parsed from %j',
    (text) => {
      expect(parseInt64(text)).toBeUndefined()
    },
  )

  it('overflow at both ends', () => {
    expect(addInt64(9223372036854775807n, 1)).toBeUndefined()
    expect(addInt64(-9223372036854775808n, -1)).toBeUndefined()
    expect(addInt64(9223372036854775806n, 1)).toBe(9223372036854775807n)
  })
})

describe('long doubles', () => {
  const sum = (a: string, b: string) => {
    const [x, y] = [parseLongDouble(a), parseLongDouble(b)]
    if (x === undefined || y === undefined || x === infinite || y === infinite) return 'none'
    const total = addLongDouble(x, y)
    return total === infinite ? 'infinite' : formatLongDouble(total)
  }

  it.each([
    ['3.0', '1.1', '4.1'],
    ['0.1', '0.2', '0.3'],
    ['5.0e3', '200', '5200'],
    ['1', '-1', '0'],
    ['-0.5', '0.25', '-0.25'],
    ['18446744073709551615', '1', '18446744073709551616'],
    ['0x1p3', '0.5', '8.5'],
    ['1.18973149535723176e4932', '1.18973149535723176e4932', 'infinite'],
    ['1e5000', '1', 'none'],
    ['nan', '1', 'none'],
  ])('%s + %s = %s, as redis-server printed', (a, b, expected) => {
    expect(sum(a, b)).toBe(expected)
  })
})

describe('doubles', () => {
  it.each([
    [0.1, '0.10000000000000001'],
    [1e21, '1e+21'],
    [1.5e-7, '1.4999999999999999e-07'],
    [2 ** -25, '2.9802322387695312e-08'],
    [-Infinity, '-inf'],
    [3, '3'],
  ])('%d prints like %%.17g in C', (value, text) => {
    expect(formatDouble(value)).toBe(text)
  })

  it('are not parsed from a text that overflows or underflows, or that is not a number', () => {
    for (const text of ['1e400', '1e-400', 'nan', '1,5', '', ' 1', '1e']) expect(parseDouble(text)).toBeUndefined()
    expect(parseDouble('-inf')).toBe(-Infinity)
  })
})
