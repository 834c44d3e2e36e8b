import { describe, expect, it } from 'vitest'
import { compareElapsed } from '../../../src/campaign/crosscheck/same-but-elapsed.ts'

describe('replies that tell how long a key has still to live', () => {
  it.each([
    ['a real clock went on', ':480\r\n', ':500\r\n', 'same'],
    ['in a list that a script answers', '*2\r\n$1\r\na\r\n$3\r\n480\r\n', '*2\r\n$1\r\na\r\n$3\r\n500\r\n', 'same'],
    ['beside a count that is the same', '*2\r\n:7\r\n:480\r\n', '*2\r\n:7\r\n:500\r\n', 'same'],
    ['beside a count that is less', '*2\r\n:6\r\n:480\r\n', '*2\r\n:7\r\n:500\r\n', 'numbers'],
    ['beside a count that is less, where no time passed', '*2\r\n:6\r\n:500\r\n', '*2\r\n:7\r\n:500\r\n', 'numbers'],
    ['a number near to a lifetime that is none', ':480\r\n', ':499\r\n', 'numbers'],
    ['with a margin that a script takes off', ':29980\r\n', ':30000\r\n', 'same'],
    ['with a margin, for longer than it did', ':29900\r\n', ':30000\r\n', 'numbers'],
    ['for longer than it did', ':300\r\n', ':500\r\n', 'numbers'],
    ['no key, and a key without a lifetime', ':-2\r\n', ':-1\r\n', 'decided'],
    ['the same as a text that a script made of it', '$2\r\n-2\r\n', '$2\r\n-1\r\n', 'decided'],
    ['neither has one', '$2\r\n-1\r\n', '$2\r\n-1\r\n', 'same'],
    ['null', '$-1\r\n', '$3\r\n500\r\n', 'decided'],
  ] as const)('%s', (_, real, model, outcome) => {
    expect(compareElapsed(real, model, 50, new Set([500]))).toBe(outcome)
  })

  it.each([
    ['a second less, where the time that passed makes it one', ':1\r\n', 'same'],
    ['less by more than that', ':0\r\n', 'numbers'],
  ] as const)('may be seconds: %s', (_, real, outcome) => {
    expect(compareElapsed(real, ':2\r\n', 50, new Set([2020]))).toBe(outcome)
  })

  it('may not be seconds where none can have gone by', () => {
    expect(compareElapsed(':1\r\n', ':2\r\n', 50, new Set([2300]))).toBe('numbers')
  })
})
