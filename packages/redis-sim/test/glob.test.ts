import { describe, expect, it } from 'vitest'
import { matchesGlob } from '../src/glob.ts'

describe('a pattern', () => {
  it.each([
    ['a*b', 'acdb', true],
    ['a*b', 'acdbc', false],
    ['*a*b*', 'xxaxxbxx', true],
    ['*a?b', 'aab', true],
    ['*ab', 'aab', true],
    ['[^a-c]?', 'dx', true],
    ['[^a-c]?', 'bx', false],
    ['\\*x', '*x', true],
    ['[b-', 'b', true],
    ['*', '', false],
    ['a**', 'a', true],
  ])('%j matches the text %j: %j', (pattern, text, expected) => {
    expect(matchesGlob(pattern, text)).toBe(expected)
  })

  it('with many stars takes at most pattern length × text length steps', () => {
    expect(matchesGlob(`${'a*'.repeat(40)}b`, 'a'.repeat(5_000))).toBe(false)
    expect(matchesGlob(`${'*?'.repeat(40)}b`, 'a'.repeat(5_000))).toBe(false)
  })

  it('may have more stars than a recursive matcher could have stack frames', () => {
    expect(matchesGlob('*a'.repeat(50_000), 'a'.repeat(50_000))).toBe(true)
    expect(matchesGlob(`${'*a'.repeat(50_000)}b`, 'a'.repeat(60_000))).toBe(false)
  })
})
