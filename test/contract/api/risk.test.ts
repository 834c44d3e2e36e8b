import { expect, it } from 'vitest'
import { acceptsProblem, acceptsText, riskNames, riskTexts } from '../../../src/contract/api/risk.ts'
import { adapterProblem } from '../../../src/sim/adapters/adapter-problem.ts'

const flush = { what: 'redis-data-loss', because: 'the sink deduplicates' }

it.each([
  [[flush], null],
  [[], null],
  [flush, /is not a list/],
  ['redis-data-loss', /is not a list/],
  [['redis-data-loss'], /has redis-data-loss instead of \{ what, because/],
  [[null], /has null/],
  [[{ what: 'redis-dataloss', because: 'x' }], /an unknown risk, redis-dataloss; known: redis-data-loss, /],
  [[{ because: 'x' }], /an unknown risk, undefined/],
  [[{ what: 'sink-forgets' }], /accepts sink-forgets without a reason/],
  [[{ what: 'sink-forgets', because: ' ' }], /accepts sink-forgets without a reason/],
  [[{ ...flush, until: 'May' }], /an unknown member until; known: what and because/],
  [[flush, flush], /names redis-data-loss twice/],
])('checks the accepted risks %j', (accepts, problem) => {
  if (problem === null) expect(acceptsProblem(accepts)).toBeNull()
  else expect(acceptsProblem(accepts)).toMatch(problem)
})

it('checks the accepted risks of an adapter', () => {
  const layer = { id: 'mine', create() {} }
  expect(adapterProblem({ ...layer, accepts: [flush] })).toBeNull()
  expect(adapterProblem({ ...layer, accepts: [{ ...flush, because: '' }] })).toBe(
    '`accepts` of the implementation mine accepts redis-data-loss without a reason in `because`',
  )
})

it('prints accepted risks in the syntax of an adapter', () => {
  expect(acceptsText(['sink-forgets'])).toBe("accepts: [{ what: 'sink-forgets', because: '…' }]")
  expect(riskNames).toEqual(Object.keys(riskTexts))
})
