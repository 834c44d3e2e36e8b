/**
 * Ranges by member: `[a`, `(a`, `-`, `+`. A range by member is only meaningful if all scores are
 * equal.
 */

import { parseInt64 } from '../numbers/int64.ts'
import { ErrorReply } from '../resp/reply.ts'
import type { Selection } from './sorted-set-ranges.ts'

/** `rank` -1 is before all members, 1 after all members. */
interface Bound {
  readonly rank: -1 | 0 | 1
  readonly text: string
  readonly open: boolean
}

const invalid = new ErrorReply('ERR min or max not valid string range item')

function parseBound(text: string): Bound | undefined {
  // Redis only checks that a zero byte follows the sign, as at the end of a C string, so it ignores
  // the bytes after a zero byte.
  if (text === '-' || text.startsWith('-\0')) return { rank: -1, text: '', open: true }
  if (text === '+' || text.startsWith('+\0')) return { rank: 1, text: '', open: true }
  if (text.startsWith('(') || text.startsWith('[')) return { rank: 0, text: text.slice(1), open: text[0] === '(' }
  return undefined
}

function compare(a: Bound, b: Bound): number {
  if (a.rank !== b.rank) return a.rank - b.rank
  return a.rank !== 0 || a.text === b.text ? 0 : a.text < b.text ? -1 : 1
}

/**
 * Selects the members of a range. The range starts at the first member that is not below `low`, and
 * ends before the next member above `high`. A reversed range starts at the last member that is not
 * above `high`. If scores differ, the result is the one of Redis for a listpack.
 */
export function parseLexRange(low: string, high: string): Selection | ErrorReply {
  const min = parseBound(low)
  const max = parseBound(high)
  if (min === undefined || max === undefined || parseInt64(low) !== undefined || parseInt64(high) !== undefined) {
    return invalid
  }
  const difference = compare(min, max)
  const empty = difference > 0 || (difference === 0 && (min.open || max.open))
  const above = (member: string) =>
    min.rank < 0 || (min.rank === 0 && (min.open ? member > min.text : member >= min.text))
  const below = (member: string) =>
    max.rank > 0 || (max.rank === 0 && (max.open ? member < max.text : member <= max.text))
  return (entry, reverse) => {
    const members = entry.ordered()
    if (empty || members.length === 0 || !above(members.at(-1)!) || !below(members[0]!)) return []
    if (reverse) {
      const end = members.findLastIndex(below)
      const before = members.slice(0, end + 1).findLastIndex((member) => !above(member))
      return members.slice(before + 1, end + 1)
    }
    const start = members.findIndex(above)
    const behind = members.findIndex((member, at) => at >= start && !below(member))
    return members.slice(start, behind === -1 ? undefined : behind)
  }
}
