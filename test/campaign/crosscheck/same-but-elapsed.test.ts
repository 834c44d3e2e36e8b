import { describe, expect, it } from 'vitest'
import { isSameButElapsed } from '../../../src/campaign/crosscheck/same-but-elapsed.ts'

const lifetimes = [{ key: 'a', ms: 500 }]

describe('replies that tell how long a key has still to live', () => {
  it.each([
    ['a real clock went on', ':480\r\n', ':500\r\n', true],
    ['in a transaction, beside a count that is the same', '*2\r\n:7\r\n:480\r\n', '*2\r\n:7\r\n:500\r\n', true],
    ['beside a count that is less', '*2\r\n:6\r\n:480\r\n', '*2\r\n:7\r\n:500\r\n', false],
    ['beside a count that is less, where no time passed', '*2\r\n:6\r\n:500\r\n', '*2\r\n:7\r\n:500\r\n', false],
    ['beside another text', '*2\r\n$1\r\n6\r\n:480\r\n', '*2\r\n$1\r\n7\r\n:500\r\n', false],
    ['a text, which no command tells it by', '$3\r\n480\r\n', '$3\r\n500\r\n', false],
    ['a number near to a lifetime that is none', ':480\r\n', ':499\r\n', false],
    ['for longer than it did', ':300\r\n', ':500\r\n', false],
    ['no key, and a key without a lifetime', ':-2\r\n', ':-1\r\n', false],
    ['no key, where the model has one', ':-2\r\n', ':500\r\n', false],
    ['neither has one', ':-1\r\n', ':-1\r\n', true],
    ['null', '$-1\r\n', ':500\r\n', false],
  ] as const)('%s', (_, real, model, outcome) => {
    expect(isSameButElapsed(real, model, 50, lifetimes)).toBe(outcome)
  })

  it.each([
    ['a second less, where the time that passed makes it one', 2520, ':2\r\n', true],
    ['less by more than that', 2520, ':1\r\n', false],
    ['a second less, where none can have gone by', 2800, ':2\r\n', false],
  ] as const)('may be seconds: %s', (_, ms, real, outcome) => {
    expect(isSameButElapsed(real, ':3\r\n', 50, [{ key: 'a', ms }])).toBe(outcome)
  })
})
