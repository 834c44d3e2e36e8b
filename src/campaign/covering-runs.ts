/** Of the runs in which a layer holds, those that together leave the least chance that a goal is missed. */

import type { CampaignDeps } from './campaign-deps.ts'
import type { LoadedPair } from './load-pair.ts'
import type { TellingRun } from './telling-runs.ts'
import { type Candidate, type TellingRequest, tryRun, variants } from './tries.ts'

/** A goal is not worth as many. */
const someVariants = variants.slice(0, 8)
/** For each goal so many candidates are tried, and fewer once so many reach it in every try. */
const mostTried = 12
const enoughSure = 3
/** A real machine may miss what no try missed: so much is left of a run's share. */
const trust = 0.9

interface Chance {
  readonly run: number
  readonly aimed: number
  /** The longest that it took in some try. */
  readonly takesMs: number
  /** In what share of them it reached each goal. */
  readonly reaches: ReadonlyMap<string, number>
}

export async function coveringRuns(
  found: readonly Candidate[],
  pair: LoadedPair,
  request: TellingRequest,
  deps: CampaignDeps,
): Promise<TellingRun[]> {
  const { goals } = pair.scenario
  let left = await chancesOf(found, pair, request, deps)
  /** How likely each goal is missed by all that were chosen. */
  const missed = new Map(goals.map((goal) => [goal, 1]))
  const chosen: TellingRun[] = []
  while (chosen.length < request.wanted && left.length > 0) {
    const gain = ({ reaches }: Chance) =>
      goals.reduce((sum, goal) => sum + missed.get(goal)! * (reaches.get(goal) ?? 0), 0)
    const best = [...left].sort((a, b) => gain(b) - gain(a) || a.aimed - b.aimed || a.takesMs - b.takesMs)[0]!
    chosen.push({ run: best.run, way: null, says: 'holds', reaches: best.reaches })
    left = left.filter((one) => one !== best)
    for (const goal of goals) missed.set(goal, missed.get(goal)! * (1 - trust * (best.reaches.get(goal) ?? 0)))
  }
  return chosen
}

/** Of the shortest that reach some goal, those first that need no luck with time. */
async function chancesOf(
  found: readonly Candidate[],
  pair: LoadedPair,
  request: TellingRequest,
  deps: CampaignDeps,
): Promise<Chance[]> {
  const shortest = [...found].sort((a, b) => a.aimed - b.aimed || a.takesMs - b.takesMs)
  const known = new Map<number, Chance>()
  const chanceAt = async ({ run, aimed }: Candidate): Promise<Chance> => {
    const chance = known.get(run) ?? { aimed, ...(await chanceOf(pair, request, run, deps)) }
    known.set(run, chance)
    return chance
  }
  for (const goal of pair.scenario.goals) {
    let sure = 0
    for (const one of shortest.filter(({ goals }) => goals.has(goal)).slice(0, mostTried)) {
      const { reaches, takesMs } = await chanceAt(one)
      if (reaches.get(goal) === 1 && takesMs <= request.longestMs) sure++
      if (sure === enoughSure || deps.stopped()) break
    }
  }
  if (known.size === 0 && shortest.length > 0) await chanceAt(shortest[0]!)
  return [...known.values()].filter(({ takesMs }) => takesMs <= request.longestMs)
}

async function chanceOf(
  pair: LoadedPair,
  request: TellingRequest,
  run: number,
  deps: CampaignDeps,
): Promise<Omit<Chance, 'aimed'>> {
  const times = new Map<string, number>()
  let takesMs = 0
  for (const variant of someVariants) {
    const again = await tryRun(pair, request, run, variant, deps)
    takesMs = Math.max(takesMs, again?.takesMs ?? Number.POSITIVE_INFINITY)
    for (const goal of again?.goals ?? []) times.set(goal, (times.get(goal) ?? 0) + 1)
  }
  return { run, takesMs, reaches: new Map([...times].map(([goal, count]) => [goal, count / someVariants.length])) }
}
