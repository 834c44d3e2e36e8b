/** Decides which run of a root cause is suggested for real servers, and estimates its duration. */
import { isProgram } from '../../contract/api/program-name.ts'
import { usualStores } from '../../contract/api/store.ts'
import { versionsOf } from '../../contract/api/two-versions.ts'
import { reasonsUnsaid } from '../../contract/results/live-replay.ts'
import type { ScheduleStep } from '../../contract/results/schedule.ts'
import { lastsMs } from '../../run/idle-time.ts'
import type { JudgedViolation } from '../causes/reported-violation.ts'
import type { OnServers } from '../play/executor.ts'
import type { LoadedPair } from '../play/load-pair.ts'
import type { RecordedRun } from '../token/token.ts'
import type { CampaignDeps, RunResult } from '../types.ts'
import { scheduled } from './run-schedule.ts'
import type { NotMade } from './why-not-held.ts'
import { whyNotMade } from './why-not-made.ts'

/**
 * Measured times in milliseconds: the start of one server and its processes, the start of several
 * servers, and the round trip of one step.
 */
const [startMs, startSeveralMs, stepMs] = [600, 3_000, 4]

/** The estimated duration of the steps on real servers, in milliseconds. */
export function takesMs(steps: readonly ScheduleStep[]): number {
  const isSeveral = steps.some(({ server }) => server !== null)
  return Math.round((isSeveral ? startSeveralMs : startMs) + steps.length * stepMs + lastsMs(steps))
}

/**
 * The run on real servers, or why it cannot be made on them. `result`: a run that broke and was
 * recorded with its schedule.
 */
export function onServers(
  recorded: RecordedRun,
  result: RunResult,
  broke: JudgedViolation,
  pair: LoadedPair,
  deps: Pick<CampaignDeps, 'judge'> & Required<Pick<CampaignDeps, 'servers'>>,
): OnServers {
  const apart = simulatedOnly(pair.implementation, recorded.implementation)
  if (apart !== null) return apart
  const run = scheduled(result, broke, pair, deps)
  const why = whyNotMade(run, deps.servers, Number.POSITIVE_INFINITY)
  if (why !== null) return why
  const { invariant, violation } = broke
  const breaks = { invariant, kind: violation.kind, key: violation.key, decidedBy: run.decidedBy }
  return { recorded, breaks, ms: takesMs(run.schedule.steps.slice(0, run.until)) }
}

function simulatedOnly({ implementation, mutant }: LoadedPair['implementation'], name: string): NotMade | null {
  const real: readonly string[] = ['redis', 'postgres']
  const other = (implementation.stores ?? usualStores).find((store) => !real.includes(store))
  if (other !== undefined) return { reason: 'elsewhere', what: other }
  return mutant || versionsOf(name).some(isProgram) ? { reason: 'simulated', what: null } : null
}

/** The faster of the two runs. If neither can be made, the first. */
export function sooner(one: OnServers | undefined, other: OnServers | undefined): OnServers | undefined {
  if (one === undefined || other === undefined) return one ?? other
  if (!('ms' in other)) return one
  return 'ms' in one && one.ms <= other.ms ? one : other
}

/** A run of at most this many milliseconds is fast enough. */
export const soonMs = 10_000

/**
 * The first run if it is fast enough, because it shows the cause best; otherwise the faster of the
 * two.
 */
export function firstIfSoon(first: OnServers | undefined, other: OnServers | undefined): OnServers | undefined {
  return first !== undefined && isSoon(first) ? first : sooner(first, other)
}

/**
 * True if the run is fast enough. False for a run on several servers, because real servers may act
 * by themselves in ways in which the simulated servers did not.
 */
const isSoon = (one: OnServers): boolean => 'ms' in one && one.ms <= soonMs && one.recorded.plan.redis === undefined

/** The reason as a clause. */
export function whyNot({ reason, what }: NotMade): string {
  if (what === null) return reasonsUnsaid[reason]
  return reason === 'fault' ? what : `${reasonsUnsaid[reason]}: ${what}`
}
