/**
 * "did you mean …?" for an unknown name that is similar to a known one; otherwise the given hint.
 */
export function suggestion(wrong: string, known: readonly string[], otherwise: string): string {
  const close = known
    .map((name) => ({ name, edits: distance(wrong.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.max(2, wrong.length / 3) || (wrong.length > 2 && name.includes(wrong)))
    .sort((a, b) => a.edits - b.edits)
    .slice(0, 3)
  return close.length === 0 ? otherwise : `did you mean ${close.map(({ name }) => name).join(', ')}?`
}

/** The Levenshtein distance: the number of insertions, deletions and replacements. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
