import { expect, test } from 'vitest'
import { boundOf } from '../../src/report/bound.ts'

test('a pass states the rule of three', () => {
  expect(boundOf(2_000)).toBe('0 of 2,000 runs broke: at most 1 in 666 breaks (95 % confidence)')
})

test('the rule is near the exact bound, and never below it', () => {
  for (const runs of [20, 300, 10_000]) {
    const exact = 1 - 0.05 ** (1 / runs)
    expect(3 / runs).toBeGreaterThanOrEqual(exact)
    expect(3 / runs).toBeLessThan(exact * 1.1)
  }
})

test('three runs give no bound', () => {
  expect(boundOf(3)).toBe('0 of 3 runs broke, too few for a bound')
})
