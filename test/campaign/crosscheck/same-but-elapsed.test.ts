import { describe, expect, it } from 'vitest'
import { isSameButElapsed } from '../../../src/campaign/crosscheck/same-but-elapsed.ts'

const lifetimes = [{ key: 'a', ms: 500 }]

describe('replies with the remaining lifetime of a key', () => {
  it.each([
    ['a real clock went on', ':480\r\n', ':500\r\n', true],
    ['in a transaction, beside an equal count', '*2\r\n:7\r\n:480\r\n', '*2\r\n:7\r\n:500\r\n', true],
    ['beside a smaller count', '*2\r\n:6\r\n:480\r\n', '*2\r\n:7\r\n:500\r\n', false],
    ['beside a smaller count, without elapsed time', '*2\r\n:6\r\n:500\r\n', '*2\r\n:7\r\n:500\r\n', false],
    ['beside a different text', '*2\r\n$1\r\n6\r\n:480\r\n', '*2\r\n$1\r\n7\r\n:500\r\n', false],
    ['a text instead of a number', '$3\r\n480\r\n', '$3\r\n500\r\n', false],
    ['a number close to a lifetime', ':480\r\n', ':499\r\n', false],
    ['less by more than the elapsed time', ':300\r\n', ':500\r\n', false],
    ['a missing key, and a key without a lifetime', ':-2\r\n', ':-1\r\n', false],
    ['a missing key that exists in the model', ':-2\r\n', ':500\r\n', false],
    ['neither has a lifetime', ':-1\r\n', ':-1\r\n', true],
    ['null', '$-1\r\n', ':500\r\n', false],
  ] as const)('%s', (_, real, model, outcome) => {
    expect(isSameButElapsed(real, model, 50, lifetimes)).toBe(outcome)
  })

  it.each([
    ['a second less, within the elapsed time', 2520, ':2\r\n', true],
    ['less by more than a second', 2520, ':1\r\n', false],
    ['a second less, without enough elapsed time', 2800, ':2\r\n', false],
  ] as const)('may be seconds: %s', (_, ms, real, outcome) => {
    expect(isSameButElapsed(real, ':3\r\n', 50, [{ key: 'a', ms }])).toBe(outcome)
  })
})
