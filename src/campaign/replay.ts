/** Replays one run: its verdict, its story, and whether it followed the recorded path. */
import type { History } from '../contract/history.ts'
import type { ExitCode, PairResult } from '../contract/results.ts'
import { faults } from '../run/faults/index.ts'
import type { CampaignDeps } from './campaign-deps.ts'
import { exitCodeOf, mustHold } from './exit-code.ts'
import type { LoadedPair } from './load-pair.ts'
import { pairResult } from './pair-result.ts'
import { playAgain, tellViolations } from './play-and-judge.ts'
import { emptyTally } from './tally.ts'
import { digestPrefix, type RecordedRun } from './token.ts'
import { violationResult } from './violation-result.ts'

/** How far a run followed its recorded path. */
export interface Followed {
  /** Choices made as recorded; null where the run left the path and a digest cannot tell when. */
  readonly n: number | null
  /** Choices recorded. */
  readonly of: number
  /** What was different; null when nothing was. */
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
}

/** `expected` null: a run that was never recorded, addressed by seed and number. `command` replays it again. */
export async function replayRun(
  pair: LoadedPair,
  address: Omit<RecordedRun, 'choiceCount' | 'digest'>,
  expected: Pick<RecordedRun, 'choiceCount' | 'digest'> | null,
  command: string,
  deps: CampaignDeps,
): Promise<ReplayOutcome> {
  const tally = emptyTally()
  const played = await playAgain(pair, address, tally, deps)
  const { result } = played
  const recorded = { ...address, choiceCount: result.choiceCount, digest: digestPrefix(result.digest) }
  const followed = follow(expected ?? recorded, recorded)
  tally.historyDigests.push(result.historyDigest ?? '')
  const violations = tellViolations(played, recorded, deps).map((told) => {
    return { ...violationResult(told, { reports: '' }, { keep: () => {} }), replay: command }
  })
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
    cutShort: followed.leftAt === null ? null : `the run left its path: ${followed.leftAt}`,
  })
  // A violation counts even off the path: the layer still breaks.
  return { exitCode: exitCodeOf([outcome], mustHold), history: result.history, pair: outcome, followed, recorded }
}

/** The fault in a plan that this version does not know; null when it knows them all. */
export function unknownFault({ plan }: RecordedRun): string | null {
  return plan.faults.find(({ kind }) => !faults.has(kind))?.kind ?? null
}

function follow(expected: Pick<RecordedRun, 'choiceCount' | 'digest'>, actual: RecordedRun): Followed {
  const of = expected.choiceCount
  if (expected.digest === actual.digest && of === actual.choiceCount) return { n: of, of, leftAt: null }
  const leftAt =
    of === actual.choiceCount
      ? `its digest is ${actual.digest}, recorded was ${expected.digest}`
      : `it made ${actual.choiceCount} choices, recorded were ${of}`
  // A run does not depend on time or machine: only the code that plays it can have changed.
  const why = 'the token was made by another version of onceproof, of the layer or of its packages'
  return { n: null, of, leftAt: `${leftAt}: ${why}` }
}
