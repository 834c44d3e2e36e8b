/** Plays one run of a property test, and judges it like a run of a campaign. */

import type { PlannedRun } from '../../contract/api/planned-run.ts'
import { worstFirst } from '../../contract/api/severity.ts'
import type { ViolationText } from '../../contract/results/results.ts'
import { type JudgedViolation, violationsOf, wayOf } from '../causes/reported-violation.ts'
import { violationResult } from '../explain/violation-result.ts'
import { drawRun } from '../play/draw-run.ts'
import type { LoadedPair } from '../play/load-pair.ts'
import { type PlayedRun, playAgain, playAndJudge, reportViolations } from '../play/play-and-judge.ts'
import { explain, isSampled } from '../play/run-chunk.ts'
import { pairResult } from '../results/pair-result.ts'
import { emptyTally, type Tally } from '../tally/tally.ts'
import { type PairRef, pairName } from '../token/pair-ref.ts'
import { trailOf } from '../token/trail.ts'
import type { CampaignDeps } from '../types.ts'

export interface PairOfProperty {
  readonly ref: PairRef
  /**
   * The loaded pair. Its modules must be loaded again for every run, so that no run depends on
   * earlier runs.
   */
  readonly pair: LoadedPair
  /** The number of runs so far. */
  played: number
}

export type JudgedRun =
  | { readonly verdict: 'holds' }
  | { readonly verdict: 'broken'; readonly way: string; readonly why: string; readonly violation: ViolationText }
  | { readonly verdict: 'otherwise' }
  | { readonly verdict: 'unknown'; readonly reason: string }

/**
 * Checks that the layer works without faults.
 * @throws LoadError if it does not
 */
export async function checkItWorks({ ref, pair }: PairOfProperty, deps: CampaignDeps): Promise<void> {
  const { value, choiceSeed } = drawRun(pair.scenario, 1, 0)
  const plan = { ...value.value, faults: [] }
  deps.playing({ ...pairName(ref), seed: 1, run: 0 })
  await deps.runWorld({ ...pair, sink: ref.sink, plan, choices: { seed: choiceSeed }, record: false, mustWork: true })
}

/**
 * Plays and judges a run. `way`: the wanted violation; for another violation, the verdict is
 * `otherwise`. A run that breaks is played twice, like a sample of the other runs, and both plays
 * must be the same.
 * @throws LoadError, NondeterminismError
 */
export async function judgeRun(
  property: PairOfProperty,
  { plan, choiceSeed }: PlannedRun,
  way: string | undefined,
  deps: CampaignDeps,
): Promise<JudgedRun> {
  const { ref, pair } = property
  const address = { ...pairName(ref), seed: choiceSeed, run: 0, plan, choiceSeed }
  // Goals are removed, because a single run need not reach them.
  const asked = { ...pair, scenario: { ...pair.scenario, goals: [] } }
  const tally = emptyTally()
  deps.playing(address)
  const request = { ...asked, sink: ref.sink, plan, choices: { seed: choiceSeed }, record: false }
  const hot = await playAndJudge(0, request, tally, deps)
  forgetScripts(deps)
  const gravest = gravestOf(hot)
  const isOtherwise = gravest !== undefined && way !== undefined && wayOf(gravest) !== way
  if (isOtherwise) return { verdict: 'otherwise' }
  if (gravest === undefined && !isSampled(property.played++)) return withoutViolation(ref, asked, tally)
  const playOnceMore = () => playAgain(pair, address, emptyTally(), deps, { positions: true, scrutinise: true })
  const again = await playOnceMore()
  forgetScripts(deps)
  if (again.result.digest !== hot.result.digest)
    throw await explain(0, hot.result, again.result, async () => (await playOnceMore()).result)
  if (gravest === undefined) return withoutViolation(ref, asked, tally)
  const reported = reportViolations(again, { ...address, ...trailOf(again.result) }, deps)
  const one = reported.find((violation) => wayOf(violation) === wayOf(gravest))!
  const violation = violationResult(one, { reports: '' }, { keep: () => {} })
  return { verdict: 'broken', way: wayOf(gravest), why: one.why, violation }
}

function gravestOf({ verdicts }: PlayedRun): JudgedViolation | undefined {
  const ranked = violationsOf(verdicts).map((one) => ({ one, invariant: one.invariant, ...sinkForgotOf(one) }))
  return ranked.sort(worstFirst)[0]?.one
}

const sinkForgotOf = ({ violation: { sinkForgot } }: JudgedViolation) =>
  sinkForgot === undefined ? {} : { sinkForgot }

function withoutViolation({ sink }: PairRef, { scenario, implementation }: LoadedPair, tally: Tally): JudgedRun {
  const { verdict, reason } = pairResult({
    ...{ scenario, implementation: implementation.implementation, sink, tally, runsRequested: 1 },
    ...{ violations: [], goalReasons: {}, notes: [], failure: null, cutShort: null },
  })
  return verdict === 'pass' ? { verdict: 'holds' } : { verdict: 'unknown', reason: reason ?? 'unknown reason' }
}

/** Discards the collected script lines, because a property test does not report them. */
function forgetScripts(deps: Pick<CampaignDeps, 'takeScriptLines' | 'takeKnownScripts'>): void {
  deps.takeScriptLines()
  deps.takeKnownScripts()
}
