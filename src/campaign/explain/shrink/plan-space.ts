/** What a scenario draws plans from, as far as a smaller plan must stay within it. */
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

/** Of the run of that number. */
export function planSpaceOf(scenario: Scenario, run: number): PlanSpace {
  const drawn = sampledPlans(scenario)
  return {
    plans: plansOf(scenario, run),
    ranges: rangesOf(drawn),
    leastConsumers: Math.min(...drawn.map(({ consumers }) => consumers)),
  }
}
