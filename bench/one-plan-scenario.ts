/** A scenario with a single plan, for runs that are only counted or timed. */
import fc from 'fast-check'
import type { Plan } from '../src/contract/api/plan.ts'
import type { Scenario } from '../src/contract/api/scenario.ts'

export function onePlanScenario(id: string, story: string, plan: Plan): Scenario {
  return {
    id,
    story,
    shape: 'single',
    assumptions: [],
    invariants: [],
    goals: [],
    recoveryCapMs: 60_000,
    plans: fc.constant(plan),
  }
}
