/**
 * Finds the scenarios that can express a plan, so that the cheapest one shows the counterexample.
 */
import type { Plan } from '../../contract/api/plan.ts'
import type { Scenario } from '../../contract/api/scenario.ts'
import type { CostedScenario, ScenarioRef } from '../token/pair-ref.ts'
import { sampledPlans } from './sampled-plans.ts'

/** The scenarios that cost less than `runMs` a run, in their order. */
export function cheaperThan(runMs: number, all: readonly CostedScenario[]): ScenarioRef[] {
  return all
    .filter((one) => one.runMs < runMs)
    .map(({ scenarioPath, scenarioName }) => ({ scenarioPath, scenarioName }))
}

/** A scenario can express a plan whose faults are all of kinds that it draws itself. */
export function canExpress(scenario: Scenario, { faults }: Plan): boolean {
  const kinds = new Set(sampledPlans(scenario).flatMap((plan) => plan.faults.map(({ kind }) => kind)))
  return faults.every(({ kind }) => kinds.has(kind))
}

/** The plan without its deployment: a single server, and no faults of deployment machines. */
export function onOneServer({ redis: _, ...plan }: Plan): Plan {
  return { ...plan, faults: plan.faults.filter(({ kind }) => !kind.startsWith('machine-')) }
}
