/**
 * A cached sample of a scenario's plans: large enough to contain each kind of fault and nearly the
 * full range of each time.
 */
import type { Plan } from '../../contract/api/plan.ts'
import type { Scenario } from '../../contract/api/scenario.ts'
import { drawRun } from './draw-run.ts'

const sampledDraws = 200

const sampled = new WeakMap<Scenario, readonly Plan[]>()

export function sampledPlans(scenario: Scenario): readonly Plan[] {
  const known = sampled.get(scenario)
  if (known !== undefined) return known
  const plans = Array.from({ length: sampledDraws }, (_, run) => drawRun(scenario, 1, run).value.value)
  sampled.set(scenario, plans)
  return plans
}
