/**
 * Finds a run that breaks by the same cause as another run: same scenario, layer and sink, same
 * invariants and kinds, same needed faults.
 */

import { planSpaceOf } from '../../src/campaign/explain/shrink/plan-space.ts'
import type { Breaks } from '../../src/campaign/explain/shrink/search.ts'
import { shrinkRun } from '../../src/campaign/explain/shrink/shrink-run.ts'
import { drawRun } from '../../src/campaign/play/draw-run.ts'
import { EventBudget } from '../../src/campaign/play/event-budget.ts'
import type { LoadedPair } from '../../src/campaign/play/load-pair.ts'
import { wholeListsOf, withoutCalm } from '../../src/campaign/token/run-choices.ts'
import type { RecordedRun } from '../../src/campaign/token/token.ts'
import { canonicalJson } from '../../src/contract/api/json.ts'
import { follows, hasAll, type Version } from './version.ts'

export interface Cause {
  readonly ways: readonly string[]
  /** The kinds of the needed faults, sorted. */
  readonly faults: readonly string[]
}

export interface Again {
  readonly run: RecordedRun
  /** How the run was found, for the report. */
  readonly by: string
}

const seedsOfThePlan = 200
const runsOfACampaign = 2000
const shrinkBudget = 300

export async function findAgain(
  version: Version,
  pair: LoadedPair,
  old: RecordedRun,
  cause: Cause,
): Promise<Again | null> {
  return (await byOtherSeeds(version, pair, old, cause)) ?? (await byCampaign(version, pair, old, cause))
}

/** The run with its current recording; null if it does not break by the cause. */
async function proven(version: Version, pair: LoadedPair, run: RecordedRun, cause: Cause): Promise<RecordedRun | null> {
  const played = await version.play(pair, run)
  if (!hasAll(played.ways, cause.ways)) return null
  const faults = await version.neededFaults(pair, run, cause.ways)
  if (canonicalJson(faults) !== canonicalJson([...cause.faults])) return null
  const again = await version.play(pair, run)
  const { seed, run: number, scenario, implementation, sink, plan, choiceSeed, choices } = run
  const address = { seed, run: number, scenario, implementation, sink, plan, choiceSeed }
  const recorded = { ...address, ...(choices === undefined ? {} : { choices }), ...played.way } as RecordedRun
  if (!follows(again, recorded)) throw new Error(`${implementation} under ${scenario}: not the same twice`)
  return recorded
}

async function byOtherSeeds(version: Version, pair: LoadedPair, old: RecordedRun, cause: Cause): Promise<Again | null> {
  const same = await proven(version, pair, old, cause)
  if (same !== null) return { run: same, by: 'the same plan and choices' }
  const { choices: _, ...drawn } = old
  for (let at = old.choices === undefined ? 1 : 0; at < seedsOfThePlan; at++) {
    const run = await proven(version, pair, { ...drawn, choiceSeed: (old.choiceSeed + at) >>> 0 }, cause)
    if (run !== null) return { run, by: `the same plan, choice seed ${at} further` }
  }
  return null
}

/**
 * Searches the runs of a campaign. If the plan of the original run equals the drawn plan, the
 * original run was not shrunk. Then the new run is not shrunk either.
 */
async function byCampaign(version: Version, pair: LoadedPair, old: RecordedRun, cause: Cause): Promise<Again | null> {
  const { sink, seed, choices: _, ...rest } = old
  const { scenario } = pair
  const isAsFound = canonicalJson(drawRun(scenario, seed, old.run).value.value_) === canonicalJson(old.plan)
  for (let number = 0; number < runsOfACampaign; number++) {
    const drawn = drawRun(scenario, seed, number)
    const found = { ...rest, sink, seed, run: number, plan: drawn.value.value_, choiceSeed: drawn.choiceSeed }
    if (!hasAll((await version.play(pair, found)).ways, cause.ways)) continue
    const budget = new EventBudget(shrinkBudget)
    const breaks: Breaks = async (plan, choices) => {
      budget.spend(1)
      const played = await version.play(pair, { sink, plan, ...choices })
      return hasAll(played.ways, cause.ways) ? withoutCalm(wholeListsOf(played.choices ?? [])) : null
    }
    const small = isAsFound ? null : await shrinkRun(planSpaceOf(scenario, number), drawn, breaks, budget)
    const smaller = small === null ? found : { ...found, plan: small.plan, ...small.choices }
    const run = await proven(version, pair, smaller, cause)
    if (run !== null) return { run, by: `run ${number} of a campaign` }
  }
  return null
}
