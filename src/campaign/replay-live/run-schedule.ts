/**
 * A recorded run, played in the simulator for its schedule: in which order things happened, and up
 * to where it matters.
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
  /**
   * How many of its steps lead to what breaks; all of them, where only the end of the run shows it.
   */
  readonly until: number
  /** The violation that it is to show; null if it does not break. */
  readonly broke: JudgedViolation | null
  readonly decidedBy: string | null
}

export interface ScheduleWish {
  /** With the modules of this thread, for a look at the run. */
  readonly looks?: boolean
  /** The violation that it is to show. Absent: the gravest, and the one that takes the most. */
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

/** A run that was recorded with its schedule; it is to show `broke`. */
export function scheduled(
  result: RunResult,
  broke: JudgedViolation | null,
  pair: Pick<LoadedPair, 'scenario'>,
  deps: Pick<CampaignDeps, 'judge'>,
): ScheduledRun {
  const schedule = result.schedule!
  const all = schedule.steps.length
  if (broke === null) return { result, schedule, until: all, broke, decidedBy: null }
  // A violation of a scenario's own may name no event: then the whole run shows it.
  const last = Math.max(-1, ...broke.violation.events)
  const shown = last >= 0 && isShownBy(upTo(result.history, last), broke, pair, deps)
  const until = shown ? schedule.steps.filter(({ seq }) => seq <= last).length : all
  return { result, schedule, until, broke, decidedBy: decidingStep(asLive(result), broke.violation) }
}

/** A run on real servers does not tell sessions apart. */
const asLive = ({ history, executed }: RunResult): Pick<RunResult, 'history' | 'executed'> => ({
  history,
  executed: executed.map(({ session: _, ...command }) => command),
})

/** How little it takes: a loss or another fault, a lease that has ended, or nothing at all. */
function byItself({ violation: { kind } }: JudgedViolation): number {
  const needs = ['repeat-after-loss', 'repeat-after', 'zombie']
  const at = needs.findIndex((one) => kind.startsWith(one))
  return at < 0 ? needs.length : at
}

/** Whether a history breaks in that way. */
function isShownBy(
  history: History,
  broke: JudgedViolation,
  { scenario }: Pick<LoadedPair, 'scenario'>,
  deps: Pick<CampaignDeps, 'judge'>,
): boolean {
  const found = violationsOf(deps.judge(history, scenario.invariants, scenario.own))
  return found.some((one) => wayOf(one) === wayOf(broke))
}

/** As it would be, had it been cut off behind that event. */
function upTo({ header, events }: History, last: number): History {
  const before = events.slice(0, last + 1)
  const { seq, atUs } = before.at(-1)!
  const ended = { type: 'ended', complete: false, why: 'it was cut off', seq: seq + 1, atUs } as const
  return { header, events: [...before, ended] }
}
