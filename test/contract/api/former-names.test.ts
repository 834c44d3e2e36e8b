import { expect, it } from 'vitest'
import { currentAdapter, currentScenario, wordInDigest } from '../../../src/contract/api/former-names.ts'
import { checkedOutcome } from '../../../src/run/checked-outcome.ts'
import { adapterProblem } from '../../../src/sim/adapters/adapter-problem.ts'

class Layer {
  id = 'layer'
  parkReasons = { vanished: 'gone' }
  bindsBirths = true
  lacks = ['lease', 'parking']
  create() {}
}

it('former names of an adapter are read as current names, even on an instance of a class', () => {
  const adapter = currentAdapter(new Layer())
  expect(adapterProblem(adapter)).toBeNull()
  expect(adapter).toMatchObject({
    deadLetterReasons: { vanished: 'gone' },
    bindsProducedAt: true,
    lacks: ['lease', 'dead-lettering'],
  })
  expect(adapter).toBeInstanceOf(Layer)
})

it('former names of a scenario are read as current names', () => {
  const goal = 'a-message-was-parked-in-doubt'
  const scenario = currentScenario({
    id: 'mine',
    goals: [goal, 'another'],
    invariants: ['at-most-once', { id: 'own', needs: 'parkReasons.failed' }],
    aimed: { every: 4, draws: [{ goals: [goal] }] },
  })
  expect(scenario).toEqual({
    id: 'mine',
    goals: ['a-message-was-dead-lettered-in-doubt', 'another'],
    invariants: ['at-most-once', { id: 'own', needs: 'deadLetterReasons.failed' }],
    aimed: { every: 4, draws: [{ goals: ['a-message-was-dead-lettered-in-doubt'] }] },
  })
})

it('current names leave an adapter and a scenario unchanged', () => {
  const adapter = { id: 'layer', lacks: ['lease'], deadLetterReasons: { vanished: 'gone' } }
  expect(currentAdapter(adapter)).toBe(adapter)
  const scenario = { goals: ['another'], invariants: [{ id: 'own' }], aimed: { draws: [{ goals: [] }] } }
  expect(currentScenario(scenario)).toBe(scenario)
  for (const none of [null, undefined, 7, 'text']) expect(currentAdapter(none)).toBe(none)
})

it('park is read as the outcome dead-letter, and digests keep the former word', () => {
  const outcome = checkedOutcome({ status: 'park', reason: 'in-doubt' }, String)
  expect(outcome).toEqual({ outcome: { status: 'dead-letter', reason: 'in-doubt' } })
  expect(['done', 'dead-letter', 'dead-lettered'].map(wordInDigest)).toEqual(['done', 'park', 'parked'])
})
