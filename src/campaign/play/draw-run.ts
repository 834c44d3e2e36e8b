/**
 * Derives a run's plan and choice seed from (seed, scenario, run) without drawing the earlier runs.
 * So a run is addressable, workers can share a campaign, and all layers get the same plans.
 */
import * as fc from 'fast-check'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import { hashText } from 'virtual-node/kernel'
import type { Plan } from '../../contract/api/plan.ts'
import type { AimedRuns, Scenario } from '../../contract/api/scenario.ts'

export interface DrawnRun {
  /** The plan with fast-check's context, which its shrinker needs. */
  readonly value: fc.Value<Plan>
  readonly choiceSeed: number
}

export function drawRun(scenario: Scenario, seed: number, run: number): DrawnRun {
  const runSeed = hashText(`${scenario.id} ${run}`, seed)
  const value = plansOf(scenario, run).generate(new fc.Random(xoroshiro128plus(runSeed)), biasFactor(run))
  return { value, choiceSeed: hashText('choices', runSeed) }
}

/** The arbitrary from which this run's plan is drawn and with which it is shrunk. */
export function plansOf({ plans, aimed }: Pick<Scenario, 'plans' | 'aimed'>, run: number): fc.Arbitrary<Plan> {
  const aim = aimOf(aimed, run)
  return aim === null ? plans : aimed!.draws[aim]!.plans
}

/** The index of the aimed draw for this run; null if the run is drawn from `plans`. */
export function aimOf(aimed: AimedRuns | undefined, run: number): number | null {
  if (aimed === undefined || run % aimed.every !== aimed.every - 1) return null
  return Math.floor(run / aimed.every) % aimed.draws.length
}

/**
 * fast-check's bias factor: one value in this number is drawn near its limits. Early runs are
 * biased most, as in fast-check's own runner.
 */
function biasFactor(run: number): number {
  return 1 + String(run + 1).length
}
