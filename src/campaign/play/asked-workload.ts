import fc from 'fast-check'
import type { Implementation } from '../../contract/api/implementation.ts'
import type { Plan } from '../../contract/api/plan.ts'
import type { Scenario } from '../../contract/api/scenario.ts'

type Asked = Pick<Implementation, 'serial' | 'broker'>

// A cache, so that equal arguments give the same object: `sampledPlans` caches by scenario object.
const known = new WeakMap<Scenario, Map<string, Scenario>>()

/**
 * The scenario with the workload that the layer requests: consumers that take one message at a
 * time, a broker with partitions.
 */
export function withAskedWorkload(scenario: Scenario, { serial, broker }: Asked): Scenario {
  if (serial === undefined && broker === undefined) return scenario
  const ofScenario = known.get(scenario) ?? new Map<string, Scenario>()
  known.set(scenario, ofScenario)
  const name = `${serial} ${broker}`
  const made = ofScenario.get(name) ?? mapped(scenario, (plans) => partitioned(broker, serially(serial, plans)))
  ofScenario.set(name, made)
  return made
}

const mapped = (scenario: Scenario, change: (plans: fc.Arbitrary<Plan>) => fc.Arbitrary<Plan>): Scenario => {
  const { plans, aimed } = scenario
  return {
    ...scenario,
    plans: change(plans),
    ...(aimed && { aimed: { ...aimed, draws: aimed.draws.map((draw) => ({ ...draw, plans: change(draw.plans) })) } }),
  }
}

const serially = (serial: Asked['serial'], plans: fc.Arbitrary<Plan>) =>
  serial === undefined ? plans : plans.map((plan): Plan => ({ ...plan, serial }))

/**
 * Draws brokers with fewer or more partitions than consumers, which commit after each message or
 * after several.
 */
const brokers = fc.record({ partitions: fc.integer({ min: 1, max: 4 }), batch: fc.integer({ min: 1, max: 4 }) })

// The plan is drawn before the broker, so that the plan is the same as without partitions.
const partitioned = (broker: Asked['broker'], plans: fc.Arbitrary<Plan>) =>
  broker === undefined ? plans : fc.tuple(plans, brokers).map(([plan, drawn]): Plan => ({ ...plan, broker: drawn }))
