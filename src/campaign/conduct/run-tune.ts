/**
 * Plays several values of each time limit for some layers: finds the smallest value that holds, and
 * a run that breaks the next smaller value.
 */
import type { ExitCode } from '../../contract/api/exit-codes.ts'
import { severity } from '../../contract/api/severity.ts'
import type { PairResult } from '../../contract/results/results.ts'
import type { TunedLayer, TunedLimit, TuneRung, TuneVerdict, WorstCase } from '../../contract/results/tune.ts'
import { type Limit, limits, partOf } from '../made/limit.ts'
import { rungName } from '../made/rung-scenario.ts'
import { valuesTried } from '../made/values-tried.ts'
import type { CampaignContext, CampaignRequest, PairChoice, PairPlan } from '../play/campaign-request.ts'
import { failureOf } from '../play/harness-failure.ts'
import type { PlayedPair } from '../play/pair-progress.ts'
import { exitCodeOf, mayBreak } from '../results/exit-code.ts'
import type { LayerRef } from '../token/pair-ref.ts'
import { resultOf } from './campaign.ts'
import { runControl } from './control.ts'
import { drawnViolations } from './findings.ts'
import { ownResult } from './own-result.ts'
import { playPairs } from './play-pairs.ts'
import { ProgressReporter } from './progress-reporter.ts'

/** A layer that the user selected. */
export interface TuneSubject extends LayerRef {
  /** The id that the layer declares. */
  readonly id: string
  readonly expect: 'holds' | 'broken'
}

export interface TuneRequest extends Pick<CampaignRequest, 'seed' | 'explain' | 'reports'> {
  readonly subjects: readonly TuneSubject[]
  readonly worst: WorstCase
  /** The number of runs of each value of each limit. */
  readonly runs: number
  readonly control: PairChoice
}

export interface TuneOutcome {
  readonly interrupted: boolean
  readonly exitCode: ExitCode
  readonly layers: readonly TunedLayer[]
  readonly control: PairResult | null
  /** Why the harness cannot be trusted, in one sentence; null if it can be trusted. */
  readonly harnessFailure: string | null
}

/** One value of one limit of one layer. */
interface Rung {
  readonly subject: TuneSubject
  readonly limit: Limit
  readonly valueMs: number
  readonly plan: PairPlan
}

/** The number of values to play for one layer, over all limits. */
export function rungCount(worst: WorstCase): number {
  return limits.reduce((sum, limit) => sum + valuesTried(limit, worst).length, 0)
}

/**
 * Plays all values of all limits of all layers in one queue. Each value gets all of its runs,
 * because a layer that holds with one value may break with a longer one.
 * @throws LoadError if a layer cannot be used at all
 */
export async function runTune(request: TuneRequest, context: CampaignContext): Promise<TuneOutcome> {
  const rungs = request.subjects.flatMap((subject) => rungsOf(subject, request))
  const played = new Map<PairPlan, PlayedPair>()
  const plans = rungs.map(({ plan }) => plan)
  const reporter = new ProgressReporter(plans, context)
  await playPairs(plans, { seed: request.seed, bail: false }, context, {
    played: (pair) => reporter.played(pair),
    done: (pair) => void played.set(pair.plan, pair),
  })
  reporter.shrinking()
  const layers: TunedLayer[] = []
  for (const subject of request.subjects) {
    const tuned: TunedLimit[] = []
    for (const limit of limits) {
      const own = rungs.filter((rung) => rung.subject === subject && rung.limit === limit)
      tuned.push(await tunedLimit(limit, own, played, request, context))
    }
    layers.push({ implementation: subject.id, expect: subject.expect, limits: tuned })
  }
  const control = await runControl(request, context)
  const interrupted = context.deps.stopped()
  const pairs = layers.flatMap((layer) => layer.limits.flatMap(({ rungs }) => rungs.flatMap(({ pair }) => pair ?? [])))
  const harnessFailure = failureOf(pairs, control)
  const exitCode = exitCodeOf(pairs, mayBreak, { interrupted, harnessFailed: harnessFailure !== null })
  return { interrupted, exitCode, layers, control, harnessFailure }
}

/**
 * The cost of a run. It is the same for all values, so that the shortest values are played first.
 */
const runMs = 5

function rungsOf(subject: TuneSubject, { worst, runs }: TuneRequest): Rung[] {
  const { implementationPath, implementationName, sink } = subject
  return limits.flatMap((limit) =>
    valuesTried(limit, worst).map((valueMs) => {
      const name = rungName(limit, valueMs, worst)
      const pair = { implementationPath, implementationName, sink, scenarioPath: name, scenarioName: name }
      return { subject, limit, valueMs, plan: { choice: { ...pair, corpus: [], runMs }, bound: { runs } } }
    }),
  )
}

async function tunedLimit(
  limit: Limit,
  rungs: readonly Rung[],
  played: ReadonlyMap<PairPlan, PlayedPair>,
  request: TuneRequest,
  context: CampaignContext,
): Promise<TunedLimit> {
  const drawn = rungs.map(({ valueMs, plan }): TuneRung => {
    const pair = played.get(plan)
    return rungOf(valueMs, pair === undefined ? null : resultOf(pair, drawnViolations(pair), request, context))
  })
  const firstHeld = drawn.findLastIndex(({ verdict }) => verdict !== 'holds') + 1
  const refuted = drawn[firstHeld - 1]
  const reported: TuneRung[] = []
  for (const [at, rung] of drawn.entries()) {
    const pair = played.get(rungs[at]!.plan)
    const decides = rung === refuted && rung.verdict === 'breaks' && pair !== undefined
    reported.push(decides ? rungOf(rung.valueMs, await ownResult(pair, request, context, 'at-most-once')) : rung)
  }
  return {
    limit: limit.id,
    worstCase: partOf(limit, request.worst),
    rungs: reported,
    holdsFromMs: drawn[firstHeld]?.valueMs ?? null,
    refutedMs: refuted?.valueMs ?? null,
  }
}

const verdicts: Readonly<Record<PairResult['verdict'], TuneVerdict>> = {
  pass: 'holds',
  violated: 'breaks',
  unknown: 'unknown',
  error: 'error',
}

function rungOf(valueMs: number, pair: PairResult | null): TuneRung {
  if (pair === null) {
    const reason = 'interrupted before judging it'
    return { valueMs, verdict: 'unknown', reason, runs: 0, runsBroken: 0, violation: null, pair }
  }
  const [worst = null] = [...pair.violations].sort((a, b) => severity(a.invariant) - severity(b.invariant))
  return {
    valueMs,
    verdict: verdicts[pair.verdict],
    reason: worst?.sentence ?? pair.reason,
    runs: pair.runs,
    runsBroken: new Set(pair.violations.flatMap(({ runs = [] }) => runs)).size,
    violation: worst,
    pair,
  }
}
