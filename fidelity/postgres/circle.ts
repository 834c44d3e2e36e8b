/** Who waits for whom, by number of session. */
type Waiting = Readonly<Record<number, readonly number[]>>

/** Do some of them wait for each other, so that the server has a deadlock to find? */
export const hasCircle = (waiting: Waiting): boolean =>
  Object.keys(waiting).some((session) => waitsForItself(Number(session), waiting))

function waitsForItself(session: number, waiting: Waiting): boolean {
  const seen = new Set<number>()
  const ahead = [...(waiting[session] ?? [])]
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (next === session) return true
    if (seen.has(next)) continue
    seen.add(next)
    ahead.push(...(waiting[next] ?? []))
  }
  return false
}
