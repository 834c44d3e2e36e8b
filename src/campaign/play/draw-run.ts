/**
 * From (seed, scenario, run) to one run's plan and choice seed, without drawing the runs before it:
 * this is what makes a run addressable, lets workers share a campaign, and gives all layers the
 * same plans.
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

/** What the run of that number is drawn from, and shrinks along. */
export function plansOf({ plans, aimed }: Pick<Scenario, 'plans' | 'aimed'>, run: number): fc.Arbitrary<Plan> {
  const aim = aimOf(aimed, run)
  return aim === null ? plans : aimed!.draws[aim]!.plans
}

/** The aimed draw that a run is drawn from; null where it is drawn from `plans`. */
export function aimOf(aimed: AimedRuns | undefined, run: number): number | null {
  if (aimed === undefined || run % aimed.every !== aimed.every - 1) return null
  return Math.floor(run / aimed.every) % aimed.draws.length
}

/**
 * One value in this many is drawn near its edges. Early runs are biased most, as in fast-check's
 * own runner.
 */
function biasFactor(run: number): number {
  return 1 + String(run + 1).length
}
