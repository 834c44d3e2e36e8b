/** Lists all reasons for which a run cannot be made on real servers. */
import { stepText } from '../../contract/results/step.ts'
import { elapsedText } from '../../contract/results/time-text.ts'
import { lastsMs } from '../../run/idle-time.ts'
import type { RealServers } from '../types.ts'
import type { ScheduledRun } from './run-schedule.ts'
import { type NotMade, whyNotHeld } from './why-not-held.ts'

/**
 * Why the run cannot be made; null if it can. `atMostMs`: the maximum duration in real
 * milliseconds.
 */
export function whyNotMade(
  { result, schedule, until }: ScheduledRun,
  host: RealServers,
  atMostMs: number,
): NotMade | null {
  const plan = result.history.header.plan as unknown as Parameters<RealServers['notMade']>[0]
  const isHeld = plan.redis !== undefined
  if (plan.redis?.independent !== undefined) return { reason: 'independent', what: null }
  if (isHeld && !host.holdsSeveral) return { reason: 'several', what: null }
  if (isHeld && schedule.steps.some(({ store }) => store !== undefined)) return { reason: 'beside', what: null }
  const [unsupported] = result.unsupported
  if (unsupported !== undefined) return { reason: 'unsupported', what: unsupported }
  const [fault] = host.notMade(plan, isHeld ? 'sentinel' : 'single', isHeld)
  if (fault !== undefined) return { reason: 'fault', what: `${fault.fault} (${fault.why})` }
  const notHeld = isHeld ? whyNotHeld({ schedule, until }) : null
  if (notHeld !== null) return notHeld
  const outlives = commandWithoutProcess({ result, schedule, until })
  if (outlives !== null) return { reason: 'outlives', what: outlives }
  const lastSeq = schedule.steps[until - 1]!.seq
  const gaveUp = schedule.gaveUp?.find(({ seq }) => seq < lastSeq)
  if (gaveUp !== undefined) return { reason: 'given-up', what: gaveUp.process }
  const refused = stepDuringRecovery({ result, schedule, until }, plan.postgres?.recoveryMs ?? 0)
  if (refused !== null) return { reason: 'recovery', what: refused }
  const together = sentTogether({ schedule, until })
  if (together !== null) return { reason: 'together', what: together }
  const ms = lastsMs(schedule.steps.slice(0, until))
  return ms > atMostMs ? { reason: 'too-long', what: elapsedText(ms) } : null
}

/** The first step in which a command reaches a server after the end of the process that sent it. */
function commandWithoutProcess({
  result,
  schedule,
  until,
}: Pick<ScheduledRun, 'result' | 'schedule' | 'until'>): string | null {
  const endings = new Map<string, number>()
  for (const event of result.history.events) if (event.type === 'process-ended') endings.set(event.process, event.seq)
  const steps = schedule.steps.slice(0, until)
  const orphan = steps.find(({ step, seq, store }, at) => {
    if (step.kind !== 'pass' || step.boundary !== 'command-unexecuted') return false
    // A statement that PostgreSQL is about to execute when its process ends has not left the
    // process in a live run.
    const from = store === undefined ? seq : (steps[at + 1]?.seq ?? seq)
    return from > (endings.get(step.process) ?? Number.POSITIVE_INFINITY)
  })
  return orphan === undefined ? null : stepText(orphan.step)
}

/**
 * The first step in which a client reaches PostgreSQL during recovery. A real server has already
 * finished recovery when it restarts.
 */
function stepDuringRecovery(
  { result, schedule, until }: Pick<ScheduledRun, 'result' | 'schedule' | 'until'>,
  recoveryMs: number,
): string | null {
  if (recoveryMs === 0) return null
  const steps = schedule.steps.slice(0, until)
  for (const event of result.history.events) {
    if (event.type !== 'fault-healed' || event.fault !== 'postgres-restart') continue
    const backUs = steps.findLast(({ seq }) => seq <= event.seq)?.atUs ?? Number.POSITIVE_INFINITY
    const refused = steps.find(
      ({ step, atUs }) =>
        step.kind === 'heard' &&
        step.what === 'handshake-answered' &&
        atUs >= backUs &&
        atUs <= backUs + recoveryMs * 1000,
    )
    if (refused !== undefined) return stepText(refused.step)
  }
  return null
}

/**
 * The first step of an SQL statement that the client sent together with another statement, although
 * the schedule executes the two separately.
 */
function sentTogether({ schedule, until }: Pick<ScheduledRun, 'schedule' | 'until'>): string | null {
  /** For each process, the number of statements that were sent but not executed. */
  const sent = new Map<string, number>()
  for (const { step, store } of schedule.steps.slice(0, until)) {
    if (step.kind !== 'pass') continue
    const { process, boundary } = step
    const before = sent.get(process) ?? 0
    if (boundary === 'command-unsent') sent.set(process, before + 1)
    if (store === undefined || boundary !== 'command-unexecuted') continue
    if (before === 0) return stepText(step)
    sent.set(process, before - 1)
  }
  return null
}
