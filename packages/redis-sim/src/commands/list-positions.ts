/** LPOS. Source: t_list.c of Redis 7.0. */

import type { Answer, Handlers } from '../command.ts'
import { syntaxError } from '../errors.ts'
import { int64Min } from '../numbers/int64.ts'
import { ErrorReply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { countFrom, integer, typedRead } from './arguments.ts'

const zeroRank = new ErrorReply(
  "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list",
)
const negativeCount = new ErrorReply("ERR COUNT can't be negative")
const negativeLength = new ErrorReply("ERR MAXLEN can't be negative")

interface Search {
  rank: number
  /** Undefined returns one position or null; 0 returns all positions. */
  count: number | undefined
  /** Maximum number of elements to compare; 0 compares all. */
  maxLength: number
}

function lpos(session: Session, args: readonly string[]): Answer {
  const search = parse(args)
  if (search instanceof ErrorReply) return search
  const entry = typedRead(session, args[1]!, 'list')
  if (entry instanceof ErrorReply) return entry
  const found = entry === undefined ? [] : positions(entry.items, args[2]!, search)
  return search.count === undefined ? (found[0] ?? null) : found
}

function parse(args: readonly string[]): Search | ErrorReply {
  const search: Search = { rank: 1, count: undefined, maxLength: 0 }
  // The smallest 64-bit rank has no positive counterpart. Because its negation overflows in C, it
  // selects the first match from the end.
  for (let at = 3; at < args.length; at += 2) {
    const value = args[at + 1]
    if (value === undefined) return syntaxError
    const word = args[at]!.toLowerCase()
    const parsed =
      word === 'rank'
        ? integer(value)
        : word === 'count'
          ? countFrom(0, value, negativeCount)
          : word === 'maxlen'
            ? countFrom(0, value, negativeLength)
            : syntaxError
    if (parsed instanceof ErrorReply) return parsed
    if (word === 'rank' && parsed === 0) return zeroRank
    if (word === 'rank') search.rank = parsed === int64Min ? -1 : Number(parsed)
    else if (word === 'count') search.count = Number(parsed)
    else search.maxLength = Number(parsed)
  }
  return search
}

function positions(items: readonly string[], wanted: string, { rank, count, maxLength }: Search): number[] {
  const { length } = items
  const found: number[] = []
  const most = count === undefined ? 1 : count === 0 ? Infinity : count
  const looked = maxLength === 0 ? length : Math.min(length, maxLength)
  let toSkip = Math.abs(rank) - 1
  for (let step = 0; step < looked && found.length < most; step++) {
    const at = rank > 0 ? step : length - 1 - step
    if (items[at] === wanted && toSkip-- <= 0) found.push(at)
  }
  return found
}

export const listPositionHandlers: Handlers = { lpos }
