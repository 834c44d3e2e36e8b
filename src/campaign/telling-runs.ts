/**
 * Which runs of a seed are worth the seconds that they take on real machines: the simulator plays many of them in the
 * time of one. Chosen are those that break the layer there, whatever the luck, or reach what the scenario asks for.
 */
import { gravity } from '../contract/gravity.ts'
import type { History } from '../contract/history.ts'
import type { Plan } from '../contract/plan.ts'
import type { SinkKind } from '../contract/sink.ts'
import type { InvariantName } from '../contract/verdict.ts'
import { hashText } from '../sim/kernel/digest.ts'
import { violationsOf } from './counterexample.ts'
import { drawRun } from './draw-run.ts'
import type { Pair } from './run-chunk.ts'
import type { Workbench } from './workbench.ts'

export interface TellingRequest {
  readonly seed: number
  readonly sink: SinkKind
  /** How many are wanted at most. */
  readonly wanted: number
  /** The plan as it would be made live. */
  readonly prepare: (plan: Plan) => Plan
  /** Whether all of the plan's faults can be made. */
  readonly isMakeable: (plan: Plan) => boolean
  /** No longer than this, in virtual milliseconds. */
  readonly longestMs: number
}

export interface TellingRun {
  readonly run: number
  /** How the layer breaks there in the simulator: invariant and kind; null where it holds. */
  readonly way: string | null
  /** The same for a person: `at-most-once duplicate in 15 of 16`, `holds`. */
  readonly says: string
}

/** So many runs are looked at. */
const candidates = 150
/** Of those that break in one way, so many are tried with other luck. */
const mostTried = 15
/** After the world has come to rest, the simulator goes on for so long. */
const afterglowMs = 2_000

/**
 * The same plan with other luck (who gets which message), and with a sink that is slower by what real machines add.
 * Many, since the best of some candidates in a few tries is the luckiest one.
 */
const variants = Array.from({ length: 16 }, (_, at) => ({ slowerMs: [0, 10, 20, 40][at % 4]!, salt: `try ${at}` }))

/** A goal is not worth as many. */
const someVariants = variants.slice(0, 8)
const triedForGoal = 6

interface Candidate {
  readonly run: number
  readonly takesMs: number
  readonly faults: number
  readonly goals: ReadonlySet<string>
  /** How it broke, the gravest first. */
  readonly broke: readonly string[]
}

export async function tellingRuns(pair: Pair, request: TellingRequest, bench: Workbench): Promise<TellingRun[]> {
  const found: Candidate[] = []
  for (let run = 0; run < candidates && !bench.stopped(); run++) {
    const candidate = await look(pair, request, run, variants[0]!, bench)
    if (candidate !== null && candidate.takesMs <= request.longestMs) found.push(candidate)
  }
  const broken = found.filter(({ broke }) => broke.length > 0).sort(calmestFirst)
  if (broken.length > 0) return surest(pair, request, broken, bench)
  return covering(found, pair, request, bench)
}

async function look(
  pair: Pair,
  { seed, sink, prepare, isMakeable }: TellingRequest,
  run: number,
  { slowerMs, salt }: (typeof variants)[number],
  bench: Workbench,
): Promise<Candidate | null> {
  const { value, choiceSeed } = drawRun(pair.scenario, seed, run)
  const plan = prepare(value.value)
  if (!isMakeable(plan)) return null
  const slower = { ...plan, effectMs: plan.effectMs + slowerMs }
  const choices = { seed: hashText(salt, choiceSeed) }
  const { history } = await bench.runWorld({ ...pair, sink, plan: slower, choices, record: false })
  const broke = violationsOf(bench.judge(history, pair.scenario.invariants))
  const goals = pair.scenario.goals.filter((goal) => bench.reached(goal, history))
  return {
    ...{ run, takesMs: lastedMs(history), faults: plan.faults.length, goals: new Set(goals) },
    broke: broke.map(({ invariant, violation }) => `${invariant} ${violation.kind}`),
  }
}

function lastedMs({ events }: History): number {
  const last = events.at(-1)
  if (last?.type !== 'ended' || !last.complete) return Number.POSITIVE_INFINITY
  return last.atUs / 1000 - afterglowMs
}

/**
 * For each way in which the layer breaks, the run that does so in the most variants (one that breaks by a hair on time
 * breaks on no real machine); then, where there is room, the next best for the gravest way.
 */
async function surest(
  pair: Pair,
  request: TellingRequest,
  broken: readonly Candidate[],
  bench: Workbench,
): Promise<TellingRun[]> {
  const ranked: Ranked[][] = []
  for (const way of waysOf(broken)) {
    const tried: Ranked[] = []
    for (const { run } of broken.filter(({ broke }) => broke.includes(way)).slice(0, mostTried)) {
      const atLeast = tried.map(({ times }) => times).sort((a, b) => b - a)[request.wanted - 1] ?? 0
      tried.push({ run, way, times: await timesBroken(pair, request, run, way, atLeast, bench) })
      if (tried.filter(({ times }) => times === variants.length).length === request.wanted || bench.stopped()) break
    }
    ranked.push(tried.sort((a, b) => b.times - a.times))
  }
  const [gravest = [], ...others] = ranked
  const first = others.flatMap(([best]) => (best === undefined ? [] : [best]))
  const chosen = [gravest[0]!, ...first, ...gravest.slice(1)]
  const distinct = chosen.filter(({ run }, at) => chosen.findIndex((one) => one.run === run) === at)
  return distinct
    .slice(0, request.wanted)
    .map(({ run, way, times }) => ({ run, way, says: `${way} in ${times} of ${variants.length}` }))
}

interface Ranked {
  readonly run: number
  readonly way: string
  readonly times: number
}

/** In how many variants a run breaks that way; no more are tried once it cannot be more than `atLeast`. */
async function timesBroken(
  pair: Pair,
  request: TellingRequest,
  run: number,
  way: string,
  atLeast: number,
  bench: Workbench,
): Promise<number> {
  let times = 0
  for (const [at, variant] of variants.entries()) {
    if ((await look(pair, request, run, variant, bench))?.broke.includes(way)) times++
    if (times + variants.length - at - 1 <= atLeast) break
  }
  return times
}

/** The gravest first, and of those the most frequent. */
function waysOf(broken: readonly Candidate[]): string[] {
  const counts = new Map<string, number>()
  for (const { broke } of broken) for (const way of broke) counts.set(way, (counts.get(way) ?? 0) + 1)
  const gravityOf = (way: string) => gravity(way.split(' ')[0] as InvariantName)
  return [...counts].sort(([a, n], [b, m]) => gravityOf(a) - gravityOf(b) || m - n).map(([way]) => way)
}

/** Those that together leave the least chance that a goal is missed. */
async function covering(
  found: readonly Candidate[],
  pair: Pair,
  request: TellingRequest,
  bench: Workbench,
): Promise<TellingRun[]> {
  const { goals } = pair.scenario
  const shortest = [...found].sort((a, b) => a.takesMs - b.takesMs)
  const worthTrying = new Set(
    goals.flatMap((goal) => shortest.filter((one) => one.goals.has(goal)).slice(0, triedForGoal)),
  )
  let left: Chance[] = []
  for (const { run } of worthTrying.size > 0 ? worthTrying : shortest.slice(0, 1)) {
    const chance = await chanceOf(pair, request, run, bench)
    if (chance.takesMs <= request.longestMs) left.push(chance)
  }
  /** How likely each goal is missed by all that were chosen. */
  const missed = new Map(goals.map((goal) => [goal, 1]))
  const chosen: TellingRun[] = []
  while (chosen.length < request.wanted && left.length > 0) {
    const gain = ({ reaches }: Chance) =>
      goals.reduce((sum, goal) => sum + missed.get(goal)! * (reaches.get(goal) ?? 0), 0)
    const best = [...left].sort((a, b) => gain(b) - gain(a) || a.takesMs - b.takesMs)[0]!
    chosen.push({ run: best.run, way: null, says: 'holds' })
    left = left.filter((one) => one !== best)
    for (const goal of goals) missed.set(goal, missed.get(goal)! * (1 - (best.reaches.get(goal) ?? 0)))
  }
  return chosen
}

interface Chance {
  readonly run: number
  /** The longest that it took in some variants. */
  readonly takesMs: number
  /** In what share of them it reached each goal. */
  readonly reaches: ReadonlyMap<string, number>
}

async function chanceOf(pair: Pair, request: TellingRequest, run: number, bench: Workbench): Promise<Chance> {
  const reaches = new Map<string, number>()
  let takesMs = 0
  for (const variant of someVariants) {
    const again = await look(pair, request, run, variant, bench)
    takesMs = Math.max(takesMs, again?.takesMs ?? Number.POSITIVE_INFINITY)
    for (const goal of again?.goals ?? []) reaches.set(goal, (reaches.get(goal) ?? 0) + 1 / someVariants.length)
  }
  return { run, takesMs, reaches }
}

function calmestFirst(a: Candidate, b: Candidate): number {
  return a.faults - b.faults || a.takesMs - b.takesMs
}
