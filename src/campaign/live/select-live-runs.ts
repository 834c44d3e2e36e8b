/**
 * Selects the runs of a seed that are worth the seconds that they take on real machines: the simulator plays many of
 * them in the time of one. They break the layer there under as many perturbations as possible, or reach the scenario's
 * goals.
 */
import { severity } from '../../contract/severity.ts'
import type { InvariantName } from '../../contract/verdict.ts'
import type { CampaignDeps } from '../campaign-deps.ts'
import type { LoadedPair } from '../load-pair.ts'
import { coverGoals, type SelectedRun } from './cover-goals.ts'
import { type PerturbedRun, perturbations, playPerturbed, type SelectionRequest } from './perturbed-runs.ts'

/** Runs that are looked at. */
const candidates = 150
/** Of those that break in one way, how many are played under all perturbations. */
const mostTried = 15

export async function selectLiveRuns(
  pair: LoadedPair,
  request: SelectionRequest,
  deps: CampaignDeps,
): Promise<SelectedRun[]> {
  const found: PerturbedRun[] = []
  for (let run = 0; run < candidates && !deps.stopped(); run++) {
    const candidate = await playPerturbed(pair, request, run, perturbations[0]!, deps)
    if (candidate !== null && candidate.takesMs <= request.longestMs) found.push(candidate)
  }
  const broken = found.filter(({ broke }) => broke.length > 0).sort(calmestFirst)
  if (broken.length > 0) return surest(pair, request, broken, deps)
  return coverGoals(found, pair, request, deps)
}

/**
 * For each way in which the layer breaks, the run that does so under the most perturbations: one that depends on a
 * millisecond breaks on no real machine. Then, where there is room, the next best for the gravest way.
 */
async function surest(
  pair: LoadedPair,
  request: SelectionRequest,
  broken: readonly PerturbedRun[],
  deps: CampaignDeps,
): Promise<SelectedRun[]> {
  const ranked: Ranked[][] = []
  for (const way of waysOf(broken)) {
    const tried: Ranked[] = []
    for (const { run } of broken.filter(({ broke }) => broke.includes(way)).slice(0, mostTried)) {
      const atLeast = tried.map(({ times }) => times).sort((a, b) => b - a)[request.wanted - 1] ?? 0
      tried.push({ run, way, times: await timesBroken(pair, request, run, way, atLeast, deps) })
      if (tried.filter(({ times }) => times === perturbations.length).length === request.wanted || deps.stopped()) break
    }
    ranked.push(tried.sort((a, b) => b.times - a.times))
  }
  const [worst = [], ...others] = ranked
  const first = others.flatMap(([best]) => (best === undefined ? [] : [best]))
  const chosen = [worst[0]!, ...first, ...worst.slice(1)]
  const distinct = chosen.filter(({ run }, at) => chosen.findIndex((one) => one.run === run) === at)
  return distinct.slice(0, request.wanted).map(({ run, way, times }) => ({
    run,
    way,
    says: `${way} in ${times} of ${perturbations.length}`,
    reaches: new Map(),
  }))
}

interface Ranked {
  readonly run: number
  readonly way: string
  readonly times: number
}

/** Under how many perturbations a run breaks that way; none is tried once it cannot be more than `atLeast`. */
async function timesBroken(
  pair: LoadedPair,
  request: SelectionRequest,
  run: number,
  way: string,
  atLeast: number,
  deps: CampaignDeps,
): Promise<number> {
  let times = 0
  for (const [at, perturbation] of perturbations.entries()) {
    if ((await playPerturbed(pair, request, run, perturbation, deps))?.broke.includes(way)) times++
    if (times + perturbations.length - at - 1 <= atLeast) break
  }
  return times
}

/** The gravest first, and of those the most frequent. */
function waysOf(broken: readonly PerturbedRun[]): string[] {
  const counts = new Map<string, number>()
  for (const { broke } of broken) for (const way of broke) counts.set(way, (counts.get(way) ?? 0) + 1)
  const severityOf = (way: string) => severity(way.split(' ')[0] as InvariantName)
  return [...counts].sort(([a, n], [b, m]) => severityOf(a) - severityOf(b) || m - n).map(([way]) => way)
}

function calmestFirst(a: PerturbedRun, b: PerturbedRun): number {
  return a.aimed - b.aimed || a.faults - b.faults || a.takesMs - b.takesMs
}
