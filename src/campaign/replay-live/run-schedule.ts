/**
 * A recorded run, played in the simulator for its schedule: in which order things happened, and up
 * to where it matters.
 */
import type { History } from '../../contract/api/history.ts'
import { severity } from '../../contract/api/severity.ts'
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
  /** How many of its steps lead to what breaks; all of them, where only the end of the run shows it. */
  readonly until: number
  /** The gravest, and of these one that takes the most to come about; null where nothing breaks. */
  readonly broke: JudgedViolation | null
  readonly decidedBy: string | null
}

/** With modules of its own, as a process has, unless it only looks what the run is like. */
export async function scheduleOfRun(
  pair: LoadedPair,
  recorded: RecordedRun,
  deps: CampaignDeps,
  looks = false,
): Promise<ScheduledRun> {
  const { result, verdicts } = await playAgain(pair, recorded, emptyTally(), deps, {
    schedule: true,
    scrutinise: !looks,
  })
  const schedule = result.schedule!
  const [broke = null] = violationsOf(verdicts).sort(
    (a, b) => severity(a.invariant) - severity(b.invariant) || byItself(a) - byItself(b),
  )
  const all = schedule.steps.length
  if (broke === null) return { result, schedule, until: all, broke, decidedBy: null }
  const last = Math.max(...broke.violation.events)
  const shown = isShownBy(upTo(result.history, last), broke, pair, deps)
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
function isShownBy(history: History, broke: JudgedViolation, { scenario }: LoadedPair, deps: CampaignDeps): boolean {
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
