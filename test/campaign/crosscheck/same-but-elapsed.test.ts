import { describe, expect, it } from 'vitest'
import { compareElapsed } from '../../../src/campaign/crosscheck/same-but-elapsed.ts'

describe('replies that tell how long a key has still to live', () => {
  it.each([
    ['a real clock went on', ':480\r\n', ':500\r\n', 'same'],
    ['in a list that a script answers', '*2\r\n$1\r\na\r\n$3\r\n480\r\n', '*2\r\n$1\r\na\r\n$3\r\n500\r\n', 'same'],
    ['for longer than it did', ':300\r\n', ':500\r\n', 'numbers'],
    ['no key, and a key without a lifetime', ':-2\r\n', ':-1\r\n', 'decided'],
    ['the same as a text that a script made of it', '$2\r\n-2\r\n', '$2\r\n-1\r\n', 'decided'],
    ['neither has one', '$2\r\n-1\r\n', '$2\r\n-1\r\n', 'same'],
    ['null', '$-1\r\n', '$3\r\n500\r\n', 'decided'],
  ] as const)('%s', (_, real, model, outcome) => {
    expect(compareElapsed(real, model, 50)).toBe(outcome)
  })
})
