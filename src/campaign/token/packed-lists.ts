/** Lists of choices as a token has them: most choices are calm, and only their number is kept. */
import type { ChoiceLists } from './run-choices.ts'

/**
 * In one run that is kept. One whose layer may recover for hours can make more (`limitsOf` of
 * src/sim/world.ts).
 */
export const mostChoices = 400_000

/** By stream: how many zeros, a choice that is none, how many zeros, and so on. */
export type PackedLists = Readonly<Record<string, readonly number[]>>

export function packedLists(lists: ChoiceLists): PackedLists {
  return Object.fromEntries(Object.entries(lists).map(([stream, list]) => [stream, packed(list)]))
}

/** Null where they are none; `too many` where they say more than is read. */
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

/** No choice that is counted with the zeros stands by itself. */
const isPacked = (list: readonly unknown[]): boolean =>
  list.length % 2 === 0 && list.every((number, at) => isCount(number) && (at % 2 === 0 || number !== 0))

const isCount = (data: unknown): boolean => Number.isSafeInteger(data) && Number(data) >= 0
