/**
 * A greedy cover of a scenario's goals: chooses runs in which a layer holds, and which together
 * minimize the probability that a goal is missed.
 */

import type { LoadedPair } from '../play/load-pair.ts'
import type { CampaignDeps } from '../types.ts'
import { type PerturbedRun, perturbations, playPerturbed, type SelectionRequest } from './perturbed-runs.ts'

export interface SelectedRun {
  readonly run: number
  /** How the layer breaks in the simulator: invariant and kind; null if it holds. */
  readonly way: string | null
  /** `way` as text for reports: `at-most-once duplicate in 15 of 16`, `holds`. */
  readonly says: string
  /** For each goal, the share of perturbed runs that reached it. */
  readonly reaches: ReadonlyMap<string, number>
}

/** Runs for goals are played under fewer perturbations than runs for violations. */
const somePerturbations = perturbations.slice(0, 8)
/**
 * The maximum number of runs to try for each goal. Fewer runs are tried if `enoughSure` runs reach
 * the goal under every perturbation.
 */
const mostTried = 12
const enoughSure = 3
/**
 * A run's share is multiplied by this factor, because a real machine may miss a goal that every
 * perturbed run reached.
 */
const trust = 0.9

interface Chance {
  readonly run: number
  readonly aimed: number
  /** The longest duration under any perturbation, in milliseconds. */
  readonly takesMs: number
  /** For each goal, the share of perturbations under which it was reached. */
  readonly reaches: ReadonlyMap<string, number>
}

export async function coverGoals(
  found: readonly PerturbedRun[],
  pair: LoadedPair,
  request: SelectionRequest,
  deps: CampaignDeps,
): Promise<SelectedRun[]> {
  const { goals } = pair.scenario
  let left = await chancesOf(found, pair, request, deps)
  /** For each goal, the probability that all chosen runs miss it. */
  const missed = new Map(goals.map((goal) => [goal, 1]))
  const chosen: SelectedRun[] = []
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

/**
 * Plays the shortest runs that reach some goal. Runs that depend least on timing are tried first.
 */
async function chancesOf(
  found: readonly PerturbedRun[],
  pair: LoadedPair,
  request: SelectionRequest,
  deps: CampaignDeps,
): Promise<Chance[]> {
  const shortest = [...found].sort((a, b) => a.aimed - b.aimed || a.takesMs - b.takesMs)
  const known = new Map<number, Chance>()
  const chanceAt = async ({ run, aimed }: PerturbedRun): Promise<Chance> => {
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
  request: SelectionRequest,
  run: number,
  deps: CampaignDeps,
): Promise<Omit<Chance, 'aimed'>> {
  const times = new Map<string, number>()
  let takesMs = 0
  for (const perturbation of somePerturbations) {
    const again = await playPerturbed(pair, request, run, perturbation, deps)
    takesMs = Math.max(takesMs, again?.takesMs ?? Number.POSITIVE_INFINITY)
    for (const goal of again?.goals ?? []) times.set(goal, (times.get(goal) ?? 0) + 1)
  }
  return { run, takesMs, reaches: new Map([...times].map(([goal, count]) => [goal, count / somePerturbations.length])) }
}
