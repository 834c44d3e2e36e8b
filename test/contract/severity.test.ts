import { expect, it } from 'vitest'
import { severity } from '../../src/contract/severity.ts'
import { type InvariantName, invariantNames } from '../../src/contract/verdict.ts'

it('ranks every invariant, and no two alike', () => {
  const ranks = invariantNames.map(severity)
  expect([...ranks].sort()).toEqual(invariantNames.map((_, at) => at))
})

it('finds an effect that happened twice worse than anything else, and forgotten keys the least of all', () => {
  const worstFirst = [...invariantNames].sort((a, b) => severity(a) - severity(b))
  expect([worstFirst[0], worstFirst.at(-1)]).toEqual(['at-most-once', 'no-immortal-keys'])
})

it('takes no list that lacks an invariant', () => {
  const most = { 'at-most-once': 0, 'no-false-done': 1 }
  // @ts-expect-error: the type check is what finds it; without the error, this line fails it.
  most satisfies Record<InvariantName, number>
})
