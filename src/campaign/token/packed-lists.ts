/** Run-length encoding of choice lists for tokens: most choices are 0 (calm). */
import type { ChoiceLists } from './run-choices.ts'

/**
 * The maximum number of choices of one recorded run. A run whose layer may recover for hours can
 * make more choices (`limitsOf` of src/sim/world.ts).
 */
export const mostChoices = 400_000

/** For each stream: a number of zeros, a non-zero choice, a number of zeros, and so on. */
export type PackedLists = Readonly<Record<string, readonly number[]>>

export function packedLists(lists: ChoiceLists): PackedLists {
  return Object.fromEntries(Object.entries(lists).map(([stream, list]) => [stream, packed(list)]))
}

/** The lists; null if the data are malformed, `too many` if they exceed `mostChoices`. */
export function unpackedLists(data: unknown): ChoiceLists | 'too many' | null {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return null
  const lists = Object.entries(data)
  if (!lists.every(([, list]) => Array.isArray(list) && isPacked(list))) return null
  const choices = lists.flatMap(([, list]) => list.filter((_: number, at: number) => at % 2 === 0) as number[])
  if (choices.reduce((sum, zeros) => sum + zeros + 1, 0) > mostChoices) return 'too many'
  return Object.fromEntries(lists.map(([stream, list]) => [stream, unpacked(list)]))
}

function packed(list: readonly number[]): number[] {
  const short: number[] = []
  let zeros = 0
  for (const chosen of list) {
    if (chosen === 0) zeros++
    else {
      short.push(zeros, chosen)
      zeros = 0
    }
  }
  return short
}

function unpacked(short: readonly number[]): number[] {
  return short.flatMap((number, at) => (at % 2 === 0 ? Array<number>(number).fill(0) : [number]))
}

/** True if the list is well-formed: zeros occur only as counts, never as choices. */
const isPacked = (list: readonly unknown[]): boolean =>
  list.length % 2 === 0 && list.every((number, at) => isCount(number) && (at % 2 === 0 || number !== 0))

const isCount = (data: unknown): boolean => Number.isSafeInteger(data) && Number(data) >= 0
