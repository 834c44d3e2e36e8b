/**
 * Sessions that one commit lets go run at the same time on a real server, and one after the other on the simulated one. Where each has locked a row when it
 * asks for the other's, one of them is the victim of a deadlock, and which one the clock decides. No order of whole sessions has that.
 */
import type { Seen, Step } from './target.ts'

export const deadlockAtOnce = 'a deadlock of sessions that one statement let go at the same time'

/** Whether the real server told such a deadlock at this step: of two or more sessions, all of which had waited before it. */
export function isDeadlockAtOnce(real: readonly (Seen | null)[], steps: readonly Step[], at: number): boolean {
  const before = real.slice(0, at).findLast((seen) => seen !== null)
  const waited = new Set(Object.keys(before?.waiting ?? {}).map(Number))
  const asked = steps[at]!.session
  return Object.values(real[at]?.answered ?? {}).some((answers) => {
    if (answers === 'unsupported') return false
    return answers.some((answer) => {
      if (!('error' in answer) || answer.error.C !== '40P01') return false
      const sessions = [...(answer.error.D ?? '').matchAll(/Process (\d+) waits/g)].map(([, session]) =>
        Number(session),
      )
      return sessions.length > 1 && sessions.every((session) => waited.has(session) && session !== asked)
    })
  })
}
