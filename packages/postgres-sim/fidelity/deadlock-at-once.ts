/**
 * Sessions that one commit lets go run at the same time on a real server, and one after the other
 * on the simulated one. Where each has locked a row when it asks for the other's, one of them is
 * the victim of a deadlock, and which one the clock decides. No order of whole sessions has that.
 */
import { waitsFor } from './circle.ts'
import type { Seen, Step } from './target.ts'
import { textOf } from './text-of.ts'

export const deadlockAtOnce = 'a deadlock of sessions that one statement let go at the same time'

/**
 * Whether the real server told such a deadlock at this step, and sessions outside of it answered
 * alike on the simulated one, which saw `simulated` then. The victim is rolled back, so they answer
 * as in an order in which it is the last: but those have no answer there that wait for what it held
 * before. Where one queued behind a session of the deadlock, there may be no such order: then only
 * the session that was asked is looked at.
 */
export function isDeadlockAtOnce(
  real: readonly (Seen | null)[],
  simulated: Seen | null,
  steps: readonly Step[],
  at: number,
): boolean {
  const before = real.slice(0, at).findLast((seen) => seen !== null)?.waiting ?? {}
  const asked = steps[at]!.session
  const isAtOnce = (sessions: readonly number[]) =>
    sessions.length > 1 && sessions.every((session) => session in before && session !== asked)
  const circle = new Set(
    circlesReported(real[at] ?? null)
      .filter(isAtOnce)
      .flat(),
  )
  if (circle.size === 0) return false

  const [there, here] = [real[at]?.answered ?? {}, simulated?.answered ?? {}]
  const isAlike = (session: number) =>
    textOf(there[session]) === textOf(here[session]) ||
    (!here[session] && waitsFor(session, (other) => circle.has(other), simulated?.waiting ?? {}))
  const queued = Object.values(before).some((blockers) => blockers.some((one) => circle.has(one)))
  const answered = Object.keys({ ...there, ...here }).map(Number)
  const outside = answered.filter((session) => !circle.has(session) && (!queued || session === asked))
  return outside.every(isAlike)
}

/** The sessions of each deadlock that was told. */
function circlesReported(seen: Seen | null): number[][] {
  const printed = Object.values(seen?.answered ?? {}).flatMap((answers) => (answers === 'unsupported' ? [] : answers))
  return printed.map((answer) => {
    if (!('error' in answer) || answer.error.C !== '40P01') return []
    return [...(answer.error.D ?? '').matchAll(/Process (\d+) waits/g)].map(([, session]) => Number(session))
  })
}
