/**
 * Selects the runs of a seed that are worth their seconds on real machines. The simulator plays
 * many runs in the time of one live run. Prefers runs that break the layer under as many
 * perturbations as possible; otherwise runs that reach the scenario's goals.
 */

import { elapsedText } from '../../contract/results/time-text.ts'
import type { LoadedPair } from '../play/load-pair.ts'
import type { CampaignDeps } from '../types.ts'
import { coverGoals, type SelectedRun } from './cover-goals.ts'
import type { LiveChoice } from './goals-not-asked.ts'
import { type PerturbedRun, perturbations, playPerturbed, type SelectionRequest, waysOf } from './perturbed-runs.ts'

/** The number of runs to consider. */
const candidates = 150
/** The maximum number of runs to play under all perturbations, for each violation. */
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

/** The numbers of considered runs. */
interface Looked {
  readonly at: number
  /** The number of runs with a fault that cannot be made. */
  readonly unmade: number
  readonly tooLong: number
}

/**
 * Why no run was selected. Runs in neither `unmade` nor `tooLong` came to rest in time, but not
 * under every perturbation.
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
 * For each violation, the run that shows it under the most perturbations, because a run that
 * depends on a millisecond does not break on a real machine. The remaining selected runs are the
 * next best runs for the most severe violation.
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
 * The number of perturbations under which a run shows the violation. Stops counting when the number
 * can no longer exceed `atLeast`.
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
