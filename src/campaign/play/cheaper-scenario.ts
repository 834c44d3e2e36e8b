/**
 * Finds the scenarios that can express a plan, so that the cheapest one shows the counterexample.
 */
import type { Plan } from '../../contract/api/plan.ts'
import type { Scenario } from '../../contract/api/scenario.ts'
import type { CostedScenario, ScenarioRef } from '../token/pair-ref.ts'
import { sampledPlans } from './sampled-plans.ts'

/** The scenarios whose runs cost less than `runMs`, in the given order. */
export function cheaperThan(runMs: number, all: readonly CostedScenario[]): ScenarioRef[] {
  return all
    .filter((one) => one.runMs < runMs)
    .map(({ scenarioPath, scenarioName }) => ({ scenarioPath, scenarioName }))
}

/** True if the scenario draws all kinds of faults of the plan. */
export function canExpress(scenario: Scenario, { faults }: Plan): boolean {
  const kinds = new Set(sampledPlans(scenario).flatMap((plan) => plan.faults.map(({ kind }) => kind)))
  return faults.every(({ kind }) => kinds.has(kind))
}

/**
 * The plan without its deployment: with a single server, and without faults of deployment machines.
 */
export function onOneServer({ redis: _, ...plan }: Plan): Plan {
  return { ...plan, faults: plan.faults.filter(({ kind }) => !kind.startsWith('machine-')) }
}
