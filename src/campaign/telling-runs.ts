/**
 * Which runs of a seed are worth the seconds that they take on real machines: the simulator plays many of them in the
 * time of one. Chosen are those that break the layer there, whatever the luck, or reach what the scenario asks for.
 */
import { severity } from '../contract/severity.ts'
import type { InvariantName } from '../contract/verdict.ts'
import type { CampaignDeps } from './campaign-deps.ts'
import { coveringRuns } from './covering-runs.ts'
import type { LoadedPair } from './load-pair.ts'
import { type Candidate, type TellingRequest, tryRun, variants } from './tries.ts'

export interface TellingRun {
  readonly run: number
  /** How the layer breaks there in the simulator: invariant and kind; null where it holds. */
  readonly way: string | null
  /** The same for a person: `at-most-once duplicate in 15 of 16`, `holds`. */
  readonly says: string
  /** In what share of tries it reached each goal. */
  readonly reaches: ReadonlyMap<string, number>
}

/** So many runs are looked at. */
const candidates = 150
/** Of those that break in one way, so many are tried with other luck. */
const mostTried = 15
export async function tellingRuns(
  pair: LoadedPair,
  request: TellingRequest,
  deps: CampaignDeps,
): Promise<TellingRun[]> {
  const found: Candidate[] = []
  for (let run = 0; run < candidates && !deps.stopped(); run++) {
    const candidate = await tryRun(pair, request, run, variants[0]!, deps)
    if (candidate !== null && candidate.takesMs <= request.longestMs) found.push(candidate)
  }
  const broken = found.filter(({ broke }) => broke.length > 0).sort(calmestFirst)
  if (broken.length > 0) return surest(pair, request, broken, deps)
  return coveringRuns(found, pair, request, deps)
}

/**
 * For each way in which the layer breaks, the run that does so in the most variants (one that breaks by a hair on time
 * breaks on no real machine); then, where there is room, the next best for the gravest way.
 */
async function surest(
  pair: LoadedPair,
  request: TellingRequest,
  broken: readonly Candidate[],
  deps: CampaignDeps,
): Promise<TellingRun[]> {
  const ranked: Ranked[][] = []
  for (const way of waysOf(broken)) {
    const tried: Ranked[] = []
    for (const { run } of broken.filter(({ broke }) => broke.includes(way)).slice(0, mostTried)) {
      const atLeast = tried.map(({ times }) => times).sort((a, b) => b - a)[request.wanted - 1] ?? 0
      tried.push({ run, way, times: await timesBroken(pair, request, run, way, atLeast, deps) })
      if (tried.filter(({ times }) => times === variants.length).length === request.wanted || deps.stopped()) break
    }
    ranked.push(tried.sort((a, b) => b.times - a.times))
  }
  const [worst = [], ...others] = ranked
  const first = others.flatMap(([best]) => (best === undefined ? [] : [best]))
  const chosen = [worst[0]!, ...first, ...worst.slice(1)]
  const distinct = chosen.filter(({ run }, at) => chosen.findIndex((one) => one.run === run) === at)
  return distinct
    .slice(0, request.wanted)
    .map(({ run, way, times }) => ({ run, way, says: `${way} in ${times} of ${variants.length}`, reaches: new Map() }))
}

interface Ranked {
  readonly run: number
  readonly way: string
  readonly times: number
}

/** In how many variants a run breaks that way; no more are tried once it cannot be more than `atLeast`. */
async function timesBroken(
  pair: LoadedPair,
  request: TellingRequest,
  run: number,
  way: string,
  atLeast: number,
  deps: CampaignDeps,
): Promise<number> {
  let times = 0
  for (const [at, variant] of variants.entries()) {
    if ((await tryRun(pair, request, run, variant, deps))?.broke.includes(way)) times++
    if (times + variants.length - at - 1 <= atLeast) break
  }
  return times
}

/** The gravest first, and of those the most frequent. */
function waysOf(broken: readonly Candidate[]): string[] {
  const counts = new Map<string, number>()
  for (const { broke } of broken) for (const way of broke) counts.set(way, (counts.get(way) ?? 0) + 1)
  const severityOf = (way: string) => severity(way.split(' ')[0] as InvariantName)
  return [...counts].sort(([a, n], [b, m]) => severityOf(a) - severityOf(b) || m - n).map(([way]) => way)
}

function calmestFirst(a: Candidate, b: Candidate): number {
  return a.aimed - b.aimed || a.faults - b.faults || a.takesMs - b.takesMs
}
