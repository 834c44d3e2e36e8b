/** Adds one judged run to a tally. */
import type { Judgement } from '../../check/index.ts'
import type { Fact, History } from '../../contract/api/history.ts'
import type { InvariantName, Verdict, Violation } from '../../contract/api/verdict.ts'
import type { AcceptedViolation } from '../accepted/risks-of-run.ts'
import { decidingStep } from '../causes/deciding-step.ts'
import { pathName, pathOf } from '../causes/path-of.ts'
import { trailOf } from '../token/trail.ts'
import type { RunResult } from '../types.ts'
import { countSlots } from './count-slots.ts'
import { newCoverageOf } from './new-coverage.ts'
import {
  addAccepted,
  addAll,
  addCount,
  addPath,
  addUnstruck,
  invariantOf,
  isChecked,
  type Tally,
  type ViolatingRun,
} from './tally.ts'

export interface JudgedRun {
  readonly run: number
  /** Only the members that are counted, because live runs have no other members. */
  readonly result: Pick<
    RunResult,
    | 'history'
    | 'digest'
    | 'trail'
    | 'layerDigest'
    | 'scheduleHash'
    | 'cells'
    | 'cellsSeen'
    | 'pairs'
    | 'separated'
    | 'unsupported'
    | 'unstruck'
    | 'strikes'
    | 'executed'
  >
  readonly verdicts: readonly Judgement[]
  readonly accepted: readonly AcceptedViolation[]
  readonly reached: readonly string[]
  /** True if the run had more events than usual. Such a run may have been cut short. */
  readonly isLong?: boolean
}

export function addRun(tally: Tally, judged: JudgedRun): void {
  const { run, result, verdicts, accepted, reached } = judged
  tally.runs++
  tally.digests.push(result.digest)
  tally.schedules.add(result.scheduleHash)
  addAll(tally.cells, result.cells)
  addAll(tally.cellsSeen, result.cellsSeen)
  addAll(tally.pairs, result.pairs)
  addAll(tally.separated, result.separated)
  addAll(tally.unsupported, result.unsupported)
  countFacts(tally, result.history)
  countUnstruck(tally, result)
  countSlots(tally, result)
  for (const goal of reached) addCount(tally.goals, goal, 1)
  for (const item of newCoverageOf(result, reached)) if (!tally.newCoverage.has(item)) tally.newCoverage.set(item, run)
  for (const { name, verdict } of verdicts) addVerdict(tally, name, verdict, judged)
  for (const { risks, invariant, violation } of accepted)
    addAccepted(tally, { risks, invariant, kind: violation.kind, first: violatingRun(violation, judged), runs: [run] })
}

function violatingRun({ key, sentence }: Violation, { run, result, isLong = false }: JudgedRun): ViolatingRun {
  const { digest, history } = result
  const trail = trailOf(result)
  return { run, digest, trail, key, sentence, eventCount: history.events.length, ...(isLong && { isLong }) }
}

function countFacts(tally: Tally, { events }: History): void {
  for (const event of events) {
    if (event.type === 'published' && !event.copy) tally.messages++
    else if (event.type === 'effect-applied') tally.effects++
    else if (event.type === 'settled') countSettled(tally, event.as)
    else if (event.type === 'fault-struck') addCount(tally.faults, event.fault, 1)
    else if (event.type === 'ended' && !event.complete) {
      tally.incomplete++
      tally.whyIncomplete ??= event.why ?? 'a run did not finish'
    }
  }
}

function countUnstruck(tally: Tally, { history, unstruck }: Pick<RunResult, 'history' | 'unstruck'>): void {
  if (unstruck.length === 0) return
  const struck = new Set(history.events.map((event) => (event.type === 'fault-struck' ? event.fault : null)))
  for (const kind of new Set(unstruck.map((fault) => fault.kind))) {
    if (struck.has(kind)) continue
    const cameUp = unstruck.some((fault) => fault.kind === kind && fault.cameUp)
    addUnstruck(tally, kind, { runs: 1, cameUp: cameUp ? 1 : 0 })
  }
}

/**
 * Counts how a message was settled. Messages that the broker gave up or skipped are not counted.
 */
function countSettled(tally: Tally, as: Extract<Fact, { type: 'settled' }>['as']): void {
  if (as !== 'given-up' && as !== 'passed-over') tally[as === 'dead-lettered' ? 'deadLettered' : as]++
}

function addVerdict(tally: Tally, invariant: InvariantName, verdict: Verdict, judged: JudgedRun): void {
  const { run, result, isLong = false } = judged
  const sum = invariantOf(tally, invariant)
  if (verdict.verdict === 'unknown') {
    sum.unknown++
    sum.whyUnknown ??= verdict.reason
  }
  if (verdict.verdict !== 'violated') return
  sum.violated++
  const named = new Set<string>()
  for (const violation of verdict.violations) {
    const { kind, sinkForgot } = violation
    const path = pathOf(result, violation)
    const decidedBy = decidingStep(result, violation)
    const name = pathName({ invariant, kind, path, decidedBy })
    if (named.has(name)) continue
    named.add(name)
    const known = tally.paths.get(name)
    const isLooked = isChecked(run) && !isLong
    if (known !== undefined && !isLooked && (isLong || !known.first.isLong)) {
      known.runs.push(run)
      continue
    }
    const first = violatingRun(violation, judged)
    addPath(tally, name, {
      invariant,
      kind,
      path,
      decidedBy,
      ...(sinkForgot === undefined ? {} : { sinkForgot }),
      first,
      runs: [run],
      checked: isLooked ? [first] : [],
    })
  }
}
