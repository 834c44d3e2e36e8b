/**
 * Tries to remove parts: first all of them, then halves, down to single parts. The last parts are
 * tried first.
 */
export async function leaveOut<T>(
  parts: readonly T[],
  without: (some: readonly T[]) => Promise<boolean>,
): Promise<boolean> {
  if (parts.length === 0) return false
  if (await without(parts)) return true
  if (parts.length === 1) return false
  const middle = Math.ceil(parts.length / 2)
  const later = await leaveOut(parts.slice(middle), without)
  return (await leaveOut(parts.slice(0, middle), without)) || later
}
