import { describe, expect, it } from 'vitest'
import { formatE, formatF, formatG, numberToString } from '../../src/lua/runtime/number-format.ts'
import { parseNumber } from '../../src/lua/runtime/number-parse.ts'

describe('%g', () => {
  it.each([
    [0.1, 17, '0.10000000000000001'],
    [1e15, 14, '1e+15'],
    [123456789012345, 14, '1.2345678901234e+14'],
    [12345678901234.5, 14, '12345678901234'],
    [12345678901235.5, 14, '12345678901236'],
    [0.0001, 6, '0.0001'],
    [0.00001, 6, '1e-05'],
    [-0, 6, '-0'],
    [5e-324, 17, '4.9406564584124654e-324'],
  ])('prints %d with %d digits as %s', (value, precision, text) => {
    expect(formatG(value, precision)).toBe(text)
  })
})

describe('%f and %e', () => {
  it('round a number to even only if it is exactly halfway', () => {
    expect([0.5, 1.5, 2.5].map((value) => formatF(value, 0))).toEqual(['0', '2', '2'])
    expect([0.125, 0.375, 1.005].map((value) => formatF(value, 2))).toEqual(['0.12', '0.38', '1.00'])
    expect([2.5, 3.5, 2.51].map((value) => formatE(value, 0))).toEqual(['2e+00', '4e+00', '3e+00'])
  })

  it('print large numbers in full', () => {
    expect(formatF(1e22, 1)).toBe('10000000000000000000000.0')
  })
})

describe('numbers and texts', () => {
  it('print integers of up to fourteen digits without an exponent', () => {
    expect([1, -1, 2 ** 31, 99999999999999, 1e14].map(numberToString)).toEqual([
      ...['1', '-1', '2147483648', '99999999999999', '1e+14'],
    ])
  })

  it.each(['', ' ', '-', '0x', '1e', '1 2', '1_0', 'x'])('the text %j is not a number', (text) => {
    expect(parseNumber(text)).toBeUndefined()
  })

  it.each([
    [' 10 ', 10],
    ['0x1p4', 16],
    ['0x.8', 0.5],
    ['.5', 0.5],
    ['5.', 5],
    ['1e400', Number.POSITIVE_INFINITY],
    ['10\0x', 10],
  ])('the text %j is the number %d', (text, value) => {
    expect(parseNumber(text)).toBe(value)
  })
})
