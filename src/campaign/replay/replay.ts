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

/** How far a run followed its recorded path. */
export interface Followed {
  /** Steps that went as recorded, by name and by what was chosen, before the first that did not. */
  readonly n: number
  /** Steps recorded. */
  readonly of: number
  /** Where it left and what may have changed; null when it did not. */
  readonly leftAt: string | null
}

export interface ReplayOutcome {
  readonly exitCode: ExitCode
  readonly history: History
  /** The one run, in the shape of a campaign's results; no goals are asked of it. */
  readonly pair: PairResult
  readonly followed: Followed
  /** The run as it went this time. */
  readonly recorded: RecordedRun
  /** Of each violation, or of the run that holds; none where no picture was wanted. */
  readonly pictures: readonly Picture[]
}

export interface ReplayRequest {
  /** Replays it again. */
  readonly command: string
  /** Whether its picture is wanted. */
  readonly pictured: boolean
}

/** `expected` null: a run that was never recorded, addressed by seed and number. */
export async function replayRun(
  pair: LoadedPair,
  address: Omit<RecordedRun, keyof Trail>,
  expected: Trail | null,
  { command, pictured }: ReplayRequest,
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
  // A violation counts even off the path: the layer still breaks.
  const exitCode = exitCodeOf([outcome], mustHold)
  const pictures =
    result.runTrace === null ? [] : picturesOfReplay(result.history, result.runTrace, reported, recorded, deps)
  return { exitCode, history: result.history, pair: outcome, followed, recorded, pictures }
}

/** Of one that left: `27 of 31 steps; left at the reply to consumer-1's EVALSHA extend: …`. */
export function leavingOf({ n, of, leftAt }: Followed): string {
  return `${n} of ${of} steps; ${leftAt}`
}

/** The fault in a plan that this version does not know; null when it knows them all. */
export function unknownFault({ plan }: RecordedRun): string | null {
  return plan.faults.find(({ kind }) => !faults.has(kind))?.kind ?? null
}

function follow({ trail, stepCount: of, digest, layer }: Trail, result: RunResult): Followed {
  const n = result.trail.followed(trail, of)
  const isWhole = n === of && result.trail.length === of
  if (isWhole && trailOf(result).digest === digest) return { n, of, leftAt: null }
  // A run does not depend on time or machine: only the code that plays it can have changed.
  const why = changeOf(layer, result.layerDigest)
  return {
    n,
    of,
    leftAt: `${isWhole ? 'each step is as recorded, but not the events' : placeOf(n, of, result)}: ${why}`,
  }
}

function changeOf(recorded: string | undefined, played: string): string {
  if (recorded === undefined) return 'the layer, its packages or onceproof changed since the token was made'
  return recorded === played
    ? 'a package of the layer or onceproof changed since the token was made'
    : 'the files of the layer changed since the token was made'
}

/** The first step that did not go as recorded. A long run is marked every few steps. */
function placeOf(n: number, of: number, { choices, trail }: RunResult): string {
  const steps = choices!.filter(({ stream, about }) => isStep(stream, about))
  const subject = (at: number) => subjectOf(steps[at]!)
  if (n === trail.length) return n === 0 ? 'diverged before any step' : `ended after ${subject(n - 1)}`
  const next = Math.min(n + strideOf(of), of)
  const last = Math.min(next, trail.length) - 1
  const left =
    n === of || last === n ? `diverged at ${subject(n)}` : `diverged between ${subject(n)} and ${subject(last)}`
  // No mark tells of the steps between the last one and the end.
  return n < of && trail.length < next ? `${left}, or ended after it` : left
}
