import { expect, it } from 'vitest'
import { severity, worstFirst } from '../../../src/contract/api/severity.ts'
import { invariantNames } from '../../../src/contract/api/verdict.ts'

/** The fault in a list of ranks; null if the ranks are an order. */
function problemOf(ranks: readonly number[]): string | null {
  const sorted = [...ranks].sort((a, b) => a - b)
  return sorted.every((rank, at) => rank === at) ? null : `${sorted.join(', ')} is no order`
}

it('ranks every invariant from 0, each differently', () => {
  expect(problemOf(invariantNames.map(severity))).toBeNull()
})

it('finds two equal ranks, and an invariant without a rank', () => {
  expect(problemOf([0, 2, 1, 1])).toBe('0, 1, 1, 2 is no order')
  expect(problemOf([0, -1, 1])).toBe('-1, 0, 1 is no order')
})

it('ranks a repeated effect as the worst, and leftover keys as the least severe', () => {
  const sorted = invariantNames.map((invariant) => ({ invariant })).sort(worstFirst)
  expect([sorted[0]!.invariant, sorted.at(-1)!.invariant]).toEqual(['at-most-once', 'no-immortal-keys'])
})
