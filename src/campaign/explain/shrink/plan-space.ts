/** The limits within which a plan may be shrunk. */
import type * as fc from 'fast-check'
import type { Plan } from '../../../contract/api/plan.ts'
import type { Scenario } from '../../../contract/api/scenario.ts'
import { plansOf } from '../../play/draw-run.ts'
import { sampledPlans } from '../../play/sampled-plans.ts'
import { type Ranges, rangesOf } from './round-times.ts'

export interface PlanSpace {
  readonly plans: fc.Arbitrary<Plan>
  readonly ranges: Ranges
  readonly leastConsumers: number
}

/** The plan space of the run with the given number. */
export function planSpaceOf(scenario: Scenario, run: number): PlanSpace {
  const drawn = sampledPlans(scenario)
  return {
    plans: plansOf(scenario, run),
    ranges: rangesOf(drawn),
    leastConsumers: Math.min(...drawn.map(({ consumers }) => consumers)),
  }
}
