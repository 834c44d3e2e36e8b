/**
 * Plays a recorded run in the simulator to obtain its schedule: the order of its steps, and how
 * many of the steps matter.
 */
import type { History } from '../../contract/api/history.ts'
import { severity } from '../../contract/api/severity.ts'
import type { LiveReplayViolation } from '../../contract/results/live-replay.ts'
import type { Schedule } from '../../contract/results/schedule.ts'
import { decidingStep } from '../causes/deciding-step.ts'
import { type JudgedViolation, violationsOf, wayOf } from '../causes/reported-violation.ts'
import type { LoadedPair } from '../play/load-pair.ts'
import { playAgain } from '../play/play-and-judge.ts'
import { emptyTally } from '../tally/tally.ts'
import type { RecordedRun } from '../token/token.ts'
import type { CampaignDeps, RunResult } from '../types.ts'

export interface ScheduledRun {
  readonly result: RunResult
  readonly schedule: Schedule
  /** The number of steps up to the violation; all of them, if only the end of the run shows it. */
  readonly until: number
  /** The violation that the run must show; null if it does not break. */
  readonly broke: JudgedViolation | null
  readonly decidedBy: string | null
}

export interface ScheduleWish {
  /** True to use the modules that this thread has already loaded, which is quicker. */
  readonly looks?: boolean
  /**
   * The violation that the run must show. Absent: the most severe violation. Of equally severe
   * ones, the violation whose kind needs the most (`byItself`).
   */
  readonly breaks?: LiveReplayViolation
}

export async function scheduleOfRun(
  pair: LoadedPair,
  recorded: RecordedRun,
  deps: CampaignDeps,
  { looks = false, breaks }: ScheduleWish = {},
): Promise<ScheduledRun> {
  const { result, verdicts } = await playAgain(pair, recorded, emptyTally(), deps, {
    schedule: true,
    scrutinise: !looks,
  })
  const all = violationsOf(verdicts).sort(
    (a, b) => severity(a.invariant) - severity(b.invariant) || byItself(a) - byItself(b),
  )
  const alike = breaks === undefined ? all : all.filter((one) => isAlike(one, breaks))
  const decidedSo = alike.find(({ violation }) => decidingStep(asLive(result), violation) === breaks?.decidedBy)
  return scheduled(result, decidedSo ?? alike[0] ?? null, pair, deps)
}

const isAlike = ({ invariant, violation: { kind, key } }: JudgedViolation, breaks: LiveReplayViolation): boolean =>
  invariant === breaks.invariant && kind === breaks.kind && key === breaks.key

/**
 * The schedule of `result`, which must have been recorded with it. `broke`: the violation that the
 * run must show.
 */
export function scheduled(
  result: RunResult,
  broke: JudgedViolation | null,
  pair: Pick<LoadedPair, 'scenario'>,
  deps: Pick<CampaignDeps, 'judge'>,
): ScheduledRun {
  const schedule = result.schedule!
  const all = schedule.steps.length
  if (broke === null) return { result, schedule, until: all, broke, decidedBy: null }
  // A violation of a scenario's own invariant may name no event. In that case, only the whole run
  // shows the violation.
  const last = Math.max(-1, ...broke.violation.events)
  const shown = last >= 0 && isShownBy(upTo(result.history, last), broke, pair, deps)
  const until = shown ? schedule.steps.filter(({ seq }) => seq <= last).length : all
  return { result, schedule, until, broke, decidedBy: decidingStep(asLive(result), broke.violation) }
}

/** The run as seen on real servers, where sessions are not distinguished. */
const asLive = ({ history, executed }: RunResult): Pick<RunResult, 'history' | 'executed'> => ({
  history,
  executed: executed.map(({ session: _, ...command }) => command),
})

/**
 * Ranks kinds by what they need: kinds that need a loss or another fault come first, then kinds
 * that need an expired lease, then other kinds.
 */
function byItself({ violation: { kind } }: JudgedViolation): number {
  const needs = ['repeat-after-loss', 'repeat-after', 'zombie']
  const at = needs.findIndex((one) => kind.startsWith(one))
  return at < 0 ? needs.length : at
}

/** True if the history has that violation. */
function isShownBy(
  history: History,
  broke: JudgedViolation,
  { scenario }: Pick<LoadedPair, 'scenario'>,
  deps: Pick<CampaignDeps, 'judge'>,
): boolean {
  const found = violationsOf(deps.judge(history, scenario.invariants, scenario.own))
  return found.some((one) => wayOf(one) === wayOf(broke))
}

/** The history as if the run had been cut off after event number `last`. */
function upTo({ header, events }: History, last: number): History {
  const before = events.slice(0, last + 1)
  const { seq, atUs } = before.at(-1)!
  const ended = { type: 'ended', complete: false, why: 'it was cut off', seq: seq + 1, atUs } as const
  return { header, events: [...before, ended] }
}
