import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Plan } from '../../../src/contract/api/plan.ts'
import { defineScenario, type ScenarioSource } from '../../../src/contract/api/scenario.ts'
import { invariantNames } from '../../../src/contract/api/verdict.ts'

const source: ScenarioSource = {
  id: 'calm',
  story: 'Nothing happens.',
  shape: 'single',
  assumptions: [],
  goals: [],
  recoveryCapMs: 1000,
  plans: fc.constant({} as Plan),
}

it('a scenario without a list of invariants is judged by all of them', () => {
  expect(defineScenario(source).invariants).toEqual(invariantNames)
})

it('a scenario with a list of invariants is judged only by those', () => {
  expect(defineScenario({ ...source, invariants: ['payload-bound'] })).toEqual({
    ...source,
    invariants: ['payload-bound'],
  })
})
