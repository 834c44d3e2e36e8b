/**
 * The maximum number of entries, for layers that write values into their statements, so that each
 * text differs.
 */
const mostKept = 10_000
/**
 * The maximum length of a cached text, in characters. A longer text contains values, and does not
 * occur again.
 */
const longestKept = 4096

/**
 * Caches a pure function of a statement's text for all runs, because layers send few different
 * texts.
 */
export function keptByText<T>(of: (text: string) => T): (text: string) => T {
  const kept = new Map<string, T>()
  return (text) => {
    if (text.length > longestKept) return of(text)
    const known = kept.get(text)
    if (known !== undefined) return known
    const answer = of(text)
    if (kept.size >= mostKept) kept.clear()
    kept.set(text, answer)
    return answer
  }
}
