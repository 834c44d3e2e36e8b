/** Finds misspelled options, which would otherwise be ignored, and names the one that was meant. */

/** Throws `TypeError` if `given` is not an object, or has a defined member that is not known. */
export function needKnown(by: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null) throw new TypeError(`${by}: the options are missing: give an object`)
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || known.includes(name)) continue
    const near = known.filter((one) => distance(name, one) <= name.length / 2)
    const nearest = near.sort((a, b) => distance(name, a) - distance(name, b))[0]
    throw new TypeError(
      nearest === undefined
        ? `${by}: ${name} is not an option: remove it`
        : `${by}: ${name} is not an option: did you mean ${nearest}?`,
    )
  }
}

/**
 * How many letters must change, be added or be removed (Levenshtein); case does not matter. A part
 * of a name is near to it.
 */
function distance(a: string, b: string): number {
  const [from, to] = [a.toLowerCase(), b.toLowerCase()]
  if (to.includes(from)) return 1
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < to.length; j++)
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (from[i] === to[j] ? 0 : 1)))
    row = next
  }
  return row[to.length]!
}
