/** Who waits for whom, by number of session. */
type Waiting = Readonly<Record<number, readonly number[]>>

/** Do some of them wait for each other, so that the server has a deadlock to find? */
export const hasCircle = (waiting: Waiting): boolean =>
  Object.keys(waiting)
    .map(Number)
    .some((session) => waitsFor(session, (other) => other === session, waiting))

/** Does it wait for such a session, or for one that waits for such a session in its turn? */
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
