/**
 * If one commit wakes several sessions, they run in parallel on a real server, but one after the
 * other on the simulated server. If each session locks a row and then requests the row of the
 * other, one of them becomes the victim of a deadlock, and timing decides which. No serial order
 * reproduces such a deadlock.
 */
import { waitsFor } from './circle.ts'
import type { Seen, Step } from './target.ts'
import { textOf } from './text-of.ts'

export const deadlockAtOnce = 'a deadlock of sessions that one statement let go at the same time'

/**
 * True if the real server reported such a deadlock at this step, and the sessions outside of the
 * deadlock answered the same on the simulated server (`simulated`). The victim is rolled back, so
 * the other sessions answer as if the victim ran last. Sessions that wait for a lock that the
 * victim already held have no answer on the simulated server and are not compared. If a session
 * queued behind a session of the deadlock, no order of the simulated server may reproduce the
 * answers; then only the session of the step is compared.
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

/** The sessions of each reported deadlock. */
function circlesReported(seen: Seen | null): number[][] {
  const printed = Object.values(seen?.answered ?? {}).flatMap((answers) => (answers === 'unsupported' ? [] : answers))
  return printed.map((answer) => {
    if (!('error' in answer) || answer.error.C !== '40P01') return []
    return [...(answer.error.D ?? '').matchAll(/Process (\d+) waits/g)].map(([, session]) => Number(session))
  })
}
