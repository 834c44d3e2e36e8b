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
 * By number of the step: whether the time before it may be left out. So it is behind the last step that found a key expired or
 * asked for Redis's time, unless a blocking command is unanswered. Of several servers none is left out: replicas and Sentinels
 * go by clocks of their own all the time.
 */
export function idleBefore(steps: readonly ScheduleStep[]): boolean[] {
  if (steps.some(({ server }) => server !== null)) return steps.map(() => false)
  const last = steps.findLastIndex(({ expired, clocked }) => expired.length > 0 || clocked)
  const waiting = waitingIn(steps)
  let blocked = 0
  return steps.map(({ step }, at) => {
    const idle = at > last && blocked === 0 && !waiting.has(at)
    if (step.kind === 'pass' && blocking.test(step.label ?? ''))
      blocked += step.boundary === 'command-unexecuted' ? 1 : step.boundary === 'command-executed' ? -1 : 0
    return idle
  })
}

/** Numbers of the steps before which a statement waits in PostgreSQL, which limits that by its own clock. */
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
  const idle = idleBefore(steps)
  const us = steps.map(({ atUs }, at) => (at === 0 || idle[at] ? 0 : atUs - steps[at - 1]!.atUs))
  return us.reduce((sum, one) => sum + one, 0) / 1000
}
