/**
 * Decides how much of a schedule's time must really pass on the servers. Consumers use the
 * schedule's clock, so for them idle time can be skipped. Redis uses its own clock: while a later
 * step depends on that clock, time must really pass, and no lease is shortened.
 */
import type { ScheduleStep } from '../contract/results/schedule.ts'
import { sameStep } from '../contract/results/step.ts'

/** Blocking commands, which Redis ends by its own clock if no other client ends their wait. */
const blocking = /^(B(LPOP|RPOP|RPOPLPUSH|LMOVE|LMPOP|ZPOPMIN|ZPOPMAX|ZMPOP)|XREAD|XREADGROUP|WAIT|WAITAOF)$/

/**
 * For each step, the time of the schedule up to which the wait before the step must really pass.
 * The rest of the wait can be skipped after the last step that read Redis's time, and while no key
 * exists that a later step finds expired. (A skip does not affect keys that do not expire in the
 * run.) No wait is skipped while a blocking command is unanswered, or with several servers, because
 * replicas and Sentinels have their own clocks.
 */
export function earnestUntilUs(steps: readonly ScheduleStep[]): number[] {
  if (steps.some(({ server }) => server !== null)) return steps.map(({ atUs }) => atUs)
  const last = steps.findLastIndex(
    ({ expired, lifetimes = [], clocked }) => clocked || lifetimes.length < expired.length,
  )
  const lifetimes = steps.flatMap((step) => step.lifetimes ?? [])
  const waiting = waitingIn(steps)
  let blocked = 0
  return steps.map(({ step, atUs }, at) => {
    const idle = at > last && blocked === 0 && !waiting.has(at)
    if (step.kind === 'pass' && blocking.test(step.label ?? ''))
      blocked += step.boundary === 'command-unexecuted' ? 1 : step.boundary === 'command-executed' ? -1 : 0
    if (!idle) return atUs
    const begunUs = lifetimes.filter(({ fromUs }) => fromUs < atUs).map(({ untilUs }) => untilUs)
    return Math.min(atUs, Math.max(steps[at - 1]?.atUs ?? atUs, ...begunUs))
  })
}

/**
 * Indices of the steps before which a statement waits in PostgreSQL, which limits the wait by its
 * own clock.
 */
function waitingIn(steps: readonly ScheduleStep[]): ReadonlySet<number> {
  const waiting = new Set<number>()
  for (const [from, { step, store }] of steps.entries()) {
    if (store === undefined || step.kind !== 'pass' || step.boundary !== 'command-unexecuted') continue
    const executed = { ...step, boundary: 'command-executed' } as const
    const to = steps.findIndex((one, at) => at > from && sameStep(one.step, executed))
    for (let at = from + 1; at <= to; at++) waiting.add(at)
  }
  return waiting
}

/** The part of the schedule that must really pass, in milliseconds. */
export function lastsMs(steps: readonly ScheduleStep[]): number {
  const until = earnestUntilUs(steps)
  return until.reduce((sum, us, at) => sum + (at === 0 ? 0 : us - steps[at - 1]!.atUs), 0) / 1000
}
