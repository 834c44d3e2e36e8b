/** One run again: its verdict, its story, and whether it went the way that was recorded. */

import type { History } from '../contract/history.ts'
import { type ExitCode, exitCodes } from '../contract/results.ts'
import type { InvariantName, Verdict } from '../contract/verdict.ts'
import { faults } from '../sim/faults/index.ts'
import { type Counterexample, describe } from './counterexample.ts'
import type { Pair } from './run-chunk.ts'
import { digestPrefix, type RecordedRun } from './token.ts'
import type { RunResult, Workbench } from './workbench.ts'

/** How far a run went the recorded way. */
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
  readonly result: RunResult
  readonly history: History
  readonly verdicts: ReadonlyMap<InvariantName, Verdict>
  readonly found: readonly Counterexample[]
  readonly followed: Followed
  /** The run as it went this time. */
  readonly recorded: RecordedRun
}

/** `expected` null: a run that nobody recorded, addressed by seed and number. */
export async function replayRun(
  pair: Pair,
  address: Omit<RecordedRun, 'choiceCount' | 'digest'>,
  expected: Pick<RecordedRun, 'choiceCount' | 'digest'> | null,
  bench: Workbench,
): Promise<ReplayOutcome> {
  const { plan, choiceSeed, sink } = address
  const result = await bench.runWorld({ ...pair, sink, plan, choices: { seed: choiceSeed }, record: true })
  const verdicts = bench.judge(result.history, pair.scenario.invariants)
  const { choiceCount } = result
  const recorded = { ...address, choiceCount, digest: digestPrefix(result.digest) }
  const followed = follow(expected ?? recorded, recorded)
  const found = violationsOf(verdicts).map(([invariant, violation]) =>
    describe(bench, result, invariant, violation, recorded),
  )
  return {
    exitCode: exitCodeOf(followed, verdicts, result),
    result,
    history: result.history,
    verdicts,
    found,
    followed,
    recorded,
  }
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
  return { n: null, of, leftAt }
}

function exitCodeOf(followed: Followed, verdicts: ReadonlyMap<InvariantName, Verdict>, result: RunResult): ExitCode {
  const all = [...verdicts.values()].map(({ verdict }) => verdict)
  if (all.includes('violated')) return exitCodes.violated
  const sure = followed.leftAt === null && !all.includes('unknown') && result.unsupported.length === 0
  return sure ? exitCodes.ok : exitCodes.unknown
}

function violationsOf(verdicts: ReadonlyMap<InvariantName, Verdict>) {
  return [...verdicts].flatMap(([invariant, verdict]) =>
    verdict.verdict === 'violated' ? verdict.violations.map((violation) => [invariant, violation] as const) : [],
  )
}
