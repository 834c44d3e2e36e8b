/** A run that breaks by the cause of another one: same scenario, layer and sink, same invariants and kinds, same needed faults. */
import { EventBudget } from '../../src/campaign/event-budget.ts'
import type { LoadedPair } from '../../src/campaign/load-pair.ts'
import type { RecordedRun } from '../../src/campaign/token.ts'
import { canonicalJson } from '../../src/contract/json.ts'
import { hasAll, type Version } from './version.ts'

export interface Cause {
  readonly ways: readonly string[]
  /** Kinds, sorted. */
  readonly faults: readonly string[]
}

export interface Again {
  readonly run: RecordedRun
  /** How it was found, for the report. */
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

/** The run as it is recorded now; null where it does not break by that cause. */
async function proven(version: Version, pair: LoadedPair, run: RecordedRun, cause: Cause): Promise<RecordedRun | null> {
  const played = await version.play(pair, run)
  if (!hasAll(played.ways, cause.ways)) return null
  const faults = await version.neededFaults(pair, run, cause.ways)
  if (canonicalJson(faults) !== canonicalJson([...cause.faults])) return null
  const again = await version.play(pair, run)
  if (again.digest !== played.digest) throw new Error(`${run.implementation} under ${run.scenario}: not the same twice`)
  return { ...run, choiceCount: played.choiceCount, digest: played.digest }
}

async function byOtherSeeds(version: Version, pair: LoadedPair, old: RecordedRun, cause: Cause): Promise<Again | null> {
  for (let at = 0; at < seedsOfThePlan; at++) {
    const run = await proven(version, pair, { ...old, choiceSeed: (old.choiceSeed + at) >>> 0 }, cause)
    if (run !== null)
      return { run, by: at === 0 ? 'the same plan and seed' : `the same plan, choice seed ${at} further` }
  }
  return null
}

/** What was not made smaller is not made smaller now. */
async function byCampaign(version: Version, pair: LoadedPair, old: RecordedRun, cause: Cause): Promise<Again | null> {
  const { sink, seed } = old
  const drawn = version.drawRun(pair.scenario, seed, old.run).value.value_
  const isAsFound = canonicalJson(drawn) === canonicalJson(old.plan)
  for (let number = 0; number < runsOfACampaign; number++) {
    const { value, choiceSeed } = version.drawRun(pair.scenario, seed, number)
    const found = { ...old, run: number, plan: value.value_, choiceSeed }
    if (!hasAll((await version.play(pair, found)).ways, cause.ways)) continue
    const budget = new EventBudget(shrinkBudget)
    const breaks = async (plan: typeof old.plan, choices: number) => {
      budget.spend(1)
      return hasAll((await version.play(pair, { sink, plan, choiceSeed: choices })).ways, cause.ways)
    }
    const plans = version.plansOf(pair.scenario, number)
    const small = isAsFound ? found : await version.shrinkRun(plans, { value, choiceSeed }, breaks, budget)
    const run = await proven(version, pair, { ...found, plan: small.plan, choiceSeed: small.choiceSeed }, cause)
    if (run !== null) return { run, by: `run ${number} of a campaign` }
  }
  return null
}
