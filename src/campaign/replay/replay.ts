/** Replays one run: its verdict, its story, and whether it followed the recorded path. */

import { isStep, strideOf } from 'virtual-node/kernel'
import type { ExitCode } from '../../contract/api/exit-codes.ts'
import type { History } from '../../contract/api/history.ts'
import type { PairResult, ReplayedViolation } from '../../contract/results/results.ts'
import type { Picture } from '../../contract/results/timeline.ts'
import { visible } from '../../contract/results/visible.ts'
import { faults } from '../../run/faults/index.ts'
import { subjectOf } from '../explain/choice-words.ts'
import { picturesOfReplay } from '../explain/pictures.ts'
import { acceptedRisksOf, violationResult } from '../explain/violation-result.ts'
import type { LoadedPair } from '../play/load-pair.ts'
import { playAgain, reportViolations } from '../play/play-and-judge.ts'
import { exitCodeOf, mustHold } from '../results/exit-code.ts'
import { pairResult } from '../results/pair-result.ts'
import { emptyTally } from '../tally/tally.ts'
import type { RecordedRun } from '../token/token.ts'
import { type Trail, trailOf } from '../token/trail.ts'
import type { CampaignDeps, RunResult } from '../types.ts'

/** How far a run followed the recorded path. */
export interface Followed {
  /** The number of steps before the first step whose name or choice differs from the recording. */
  readonly n: number
  /** The number of recorded steps. */
  readonly of: number
  /** Where the run diverged and what may have changed; null if it did not diverge. */
  readonly leftAt: string | null
}

export interface ReplayOutcome {
  readonly exitCode: ExitCode
  readonly history: History
  /** The run as an entry of a campaign's results, without goals. */
  readonly pair: PairResult
  readonly followed: Followed
  /** The run as it was played this time. */
  readonly recorded: RecordedRun
  /** One picture for each violation, or one if the run holds; empty if no picture was requested. */
  readonly pictures: readonly Picture[]
}

export interface ReplayRequest {
  /** The command that replays the run. */
  readonly command: string
  /** The drawn run from which the run was made; null if the run is as it was drawn. */
  readonly madeFrom: string | null
  /** True if pictures are requested. */
  readonly pictured: boolean
}

/**
 * Replays a run. `expected`: null for a run that was never recorded and is addressed by seed and
 * number.
 */
export async function replayRun(
  pair: LoadedPair,
  address: Omit<RecordedRun, keyof Trail>,
  expected: Trail | null,
  { command, madeFrom, pictured }: ReplayRequest,
  deps: CampaignDeps,
): Promise<ReplayOutcome> {
  const tally = emptyTally()
  const played = await playAgain(pair, address, tally, deps, { positions: true, listChoices: true, runTrace: pictured })
  const { result } = played
  const recorded = { ...address, ...trailOf(result) }
  const followed = follow(expected ?? recorded, result)
  tally.historyDigests.push(result.historyDigest ?? '')
  const reported = reportViolations(played, recorded, deps)
  const violations = reported.map(
    (one): ReplayedViolation => ({
      ...violationResult(one, { reports: '' }, { keep: () => {} }),
      ...{ replay: command, why: visible(one.why), shrunk: false, asPlayed: true },
      ...(madeFrom === null ? {} : { madeFrom }),
    }),
  )
  const outcome = pairResult({
    scenario: { ...pair.scenario, goals: [] },
    implementation: pair.implementation.implementation,
    sink: address.sink,
    tally,
    runsRequested: 1,
    goalReasons: {},
    notes: [],
    failure: null,
    violations,
    acceptedRisks: acceptedRisksOf(pair, tally, ({ invariant, kind, first: { key, sentence } }) => ({
      ...{ invariant, kind, key, seed: address.seed, run: address.run, token: null, replay: command },
      sentence: visible(sentence),
    })),
    cutShort: followed.leftAt === null ? null : `the run diverged: ${leavingOf(followed)}`,
  })
  // A violation counts even if the run diverged, because the layer still breaks.
  const exitCode = exitCodeOf([outcome], mustHold)
  const pictures =
    result.runTrace === null ? [] : picturesOfReplay(result.history, result.runTrace, reported, recorded, deps)
  return { exitCode, history: result.history, pair: outcome, followed, recorded, pictures }
}

/**
 * How far a diverging run followed its path: `27 of 31 steps; diverged at the reply to consumer-1's
 * EVALSHA extend: …`.
 */
export function leavingOf({ n, of, leftAt }: Followed): string {
  return `${n} of ${of} steps; ${leftAt}`
}

/**
 * The first kind of fault in the plan that this version does not know; null if it knows all of
 * them.
 */
export function unknownFault({ plan }: RecordedRun): string | null {
  return plan.faults.find(({ kind }) => !faults.has(kind))?.kind ?? null
}

function follow({ trail, stepCount: of, digest, layer }: Trail, result: RunResult): Followed {
  const n = result.trail.followed(trail, of)
  const isWhole = n === of && result.trail.length === of
  if (isWhole && trailOf(result).digest === digest) return { n, of, leftAt: null }
  // A run depends neither on time nor on the machine, so a divergence means that code has changed.
  const why = changeOf(layer, result.layerDigest)
  return {
    n,
    of,
    leftAt: `${isWhole ? 'the steps are as recorded, but the events differ' : placeOf(n, of, result)}: ${why}`,
  }
}

function changeOf(recorded: string | undefined, played: string): string {
  if (recorded === undefined) return 'the layer, its packages or onceproof changed since the token was made'
  return recorded === played
    ? 'a package of the layer or onceproof changed since the token was made'
    : 'the files of the layer changed since the token was made'
}

/** Describes the first step that diverged. The trail of a long run marks only every few steps. */
function placeOf(n: number, of: number, { choices, trail }: RunResult): string {
  const steps = choices!.filter(({ stream, about }) => isStep(stream, about))
  const subject = (at: number) => subjectOf(steps[at]!)
  if (n === trail.length) return n === 0 ? 'diverged before any step' : `ended after ${subject(n - 1)}`
  const next = Math.min(n + strideOf(of), of)
  const last = Math.min(next, trail.length) - 1
  const left =
    n === of || last === n ? `diverged at ${subject(n)}` : `diverged between ${subject(n)} and ${subject(last)}`
  // The trail has no marks for the steps after its last mark.
  return n < of && trail.length < next ? `${left}, or ended after it` : left
}
