import type { Plan } from '../../contract/api/plan.ts'
import type { Scenario } from '../../contract/api/scenario.ts'

// One object for each scenario: samples of its plans are kept by it.
const known = new WeakMap<Scenario, Scenario>()

/** The scenario as layers play it whose consumers take one message at a time. */
export function serialScenario(scenario: Scenario): Scenario {
  const { plans, aimed } = scenario
  const serial = known.get(scenario) ?? {
    ...scenario,
    plans: plans.map(serially),
    ...(aimed && {
      aimed: { ...aimed, draws: aimed.draws.map((draw) => ({ ...draw, plans: draw.plans.map(serially) })) },
    }),
  }
  known.set(scenario, serial)
  return serial
}

const serially = (plan: Plan): Plan => ({ ...plan, serial: true })
