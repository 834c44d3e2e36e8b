/**
 * How much of a schedule's time has to pass for servers, too. Consumers have the schedule's own
 * clock, so that a time in which nothing happens costs them nothing. Redis has a clock of its own:
 * as long as a later step goes by it, time passes in earnest, and no lease is shortened.
 */
import type { ScheduleStep } from '../contract/results/schedule.ts'
import { sameStep } from '../contract/results/step.ts'

/** They are answered by Redis's clock where nobody else ends their wait. */
const blocking = /^(B(LPOP|RPOP|RPOPLPUSH|LMOVE|LMPOP|ZPOPMIN|ZPOPMAX|ZMPOP)|XREAD|XREADGROUP|WAIT|WAITAOF)$/

/**
 * For each step, up to which time of the schedule the time before it has to pass. The rest may be
 * left out: after the last step that asked for Redis's time, and while no key lives that a step
 * finds expired. A key that lives goes on living if time is left out. No time is left out while a
 * blocking command is unanswered, or of several servers: replicas and Sentinels have their own
 * clocks.
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
 * Numbers of the steps before which a statement waits in PostgreSQL, which limits that by its own
 * clock.
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

/** Milliseconds of the schedule that pass in earnest. */
export function lastsMs(steps: readonly ScheduleStep[]): number {
  const until = earnestUntilUs(steps)
  return until.reduce((sum, us, at) => sum + (at === 0 ? 0 : us - steps[at - 1]!.atUs), 0) / 1000
}
