/** Maps a session number to the sessions that block it. */
type Waiting = Readonly<Record<number, readonly number[]>>

/** True if sessions wait for each other in a cycle, so that the server must detect a deadlock. */
export const hasCircle = (waiting: Waiting): boolean =>
  Object.keys(waiting)
    .map(Number)
    .some((session) => waitsFor(session, (other) => other === session, waiting))

/** True if the session waits, directly or indirectly, for a session that matches. */
export function waitsFor(session: number, isSuch: (other: number) => boolean, waiting: Waiting): boolean {
  const seen = new Set<number>()
  const ahead = [...(waiting[session] ?? [])]
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (isSuch(next)) return true
    if (seen.has(next)) continue
    seen.add(next)
    ahead.push(...(waiting[next] ?? []))
  }
  return false
}
