/**
 * Selects the runs of a seed that are worth the seconds that they take on real machines: the
 * simulator plays many of them in the time of one. They break the layer there under as many
 * perturbations as possible, or reach the scenario's goals.
 */

import { elapsedText } from '../../contract/results/time-text.ts'
import type { LoadedPair } from '../play/load-pair.ts'
import type { CampaignDeps } from '../types.ts'
import { coverGoals, type SelectedRun } from './cover-goals.ts'
import type { LiveChoice } from './goals-not-asked.ts'
import { type PerturbedRun, perturbations, playPerturbed, type SelectionRequest, waysOf } from './perturbed-runs.ts'

/** Runs that are looked at. */
const candidates = 150
/** Of those that break in one way, how many are played under all perturbations. */
const mostTried = 15

export async function selectLiveRuns(
  pair: LoadedPair,
  request: SelectionRequest,
  deps: CampaignDeps,
): Promise<LiveChoice> {
  const found: PerturbedRun[] = []
  const refused = new Map<string, LiveChoice['refused'][number]>()
  const looked = { at: 0, unmade: 0, tooLong: 0 }
  for (let run = 0; run < candidates && !deps.stopped(); run++) {
    const candidate = await playPerturbed(pair, request, run, perturbations[0]!, deps)
    looked.at++
    if (candidate !== null) {
      if (candidate.takesMs <= request.longestMs) found.push(candidate)
      else looked.tooLong++
      continue
    }
    looked.unmade++
    for (const one of request.notMade(request.planned(run).plan))
      if (!refused.has(one.fault)) refused.set(one.fault, { run, ...one })
  }
  const broken = found.filter(({ broke }) => broke.length > 0).sort(calmestFirst)
  const runs =
    broken.length > 0 ? await surest(pair, request, broken, deps) : await coverGoals(found, pair, request, deps)
  return runs.length > 0
    ? { runs, refused: [], whyNone: null }
    : { runs, refused: [...refused.values()], whyNone: whyNone(looked, [...refused.values()], request) }
}

/** How many runs were looked at. */
interface Looked {
  readonly at: number
  /** That cannot be made without a fault that is refused. */
  readonly unmade: number
  readonly tooLong: number
}

/**
 * The rest of those that were looked at came to rest in time, and not so under each perturbation
 * that was tried.
 */
function whyNone({ at, unmade, tooLong }: Looked, refused: LiveChoice['refused'], { longestMs }: SelectionRequest) {
  const faults = refused.map(({ fault, why }) => `${fault} (${why})`).join(', ')
  const bound = elapsedText(longestMs)
  if (unmade === at) return `all ${at} runs need ${faults}`
  if (tooLong === at) return `all ${at} runs last longer than ${bound}`
  const counts = [
    ...(unmade > 0 ? [`${unmade} need ${faults}`] : []),
    ...(tooLong > 0 ? [`${tooLong} last longer than ${bound}`] : []),
    ...(unmade + tooLong < at ? [`${at - unmade - tooLong} last longer than ${bound} with some timings`] : []),
  ]
  return `of ${at} runs, ${counts.join('; ')}`
}

/**
 * For each way in which the layer breaks, the run that does so under the most perturbations: one
 * that depends on a millisecond breaks on no real machine. Then, where there is room, the next best
 * for the gravest way.
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

/**
 * Under how many perturbations a run breaks that way; none is tried once it cannot be more than
 * `atLeast`.
 */
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

function calmestFirst(a: PerturbedRun, b: PerturbedRun): number {
  return a.aimed - b.aimed || a.faults - b.faults || a.takesMs - b.takesMs
}
