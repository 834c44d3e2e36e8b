import { describe, expect, it } from 'vitest'
import { Digest, hashText } from '../../src/kernel/digest.ts'

function digestOf(...parts: (number | string)[]): string {
  const digest = new Digest()
  for (const part of parts)
    if (typeof part === 'number') digest.int(part)
    else digest.text(part)
  return digest.hex()
}

describe('the rolling digest', () => {
  it('has 16 hex digits, and is the same for the same input', () => {
    expect(digestOf(1, 'a', 2)).toMatch(/^[0-9a-f]{16}$/)
    expect(digestOf(1, 'a', 2)).toBe(digestOf(1, 'a', 2))
  })

  it('depends on order, value and the border between two texts', () => {
    const all = [
      digestOf(1, 2),
      digestOf(2, 1),
      digestOf(1),
      digestOf(1, 2, 0),
      digestOf('ab', 'c'),
      digestOf('a', 'bc'),
    ]
    expect(new Set(all).size).toBe(all.length)
  })

  it('has no collision among many small inputs', () => {
    const seen = new Set<string>()
    for (let a = 0; a < 200; a++) for (let b = 0; b < 200; b++) seen.add(digestOf(a, b))
    expect(seen.size).toBe(40_000)
  })
})

describe('the hash of a name', () => {
  it('depends on name and seed', () => {
    expect(hashText('a', 1)).toBe(hashText('a', 1))
    expect(hashText('a', 1)).not.toBe(hashText('b', 1))
    expect(hashText('a', 1)).not.toBe(hashText('a', 2))
  })
})
