/**
 * Ranges of sorted sets by rank, score and member: ZRANGE and its older forms; counting, storing
 * and removing ranges. Source: t_zset.c of Redis 7.0.
 */

import type { Answer, Handler, Handlers } from '../command.ts'
import { syntaxError } from '../errors.ts'
import type { SortedSetEntry } from '../keyspace/entry.ts'
import { toIndex } from '../numbers/int64.ts'
import { ErrorReply, type Reply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer, typed, typedRead } from './arguments.ts'
import { sliceOf } from './lists.ts'
import { parseLexRange } from './sorted-set-lex.ts'
import { parseScoreRange } from './sorted-set-scores.ts'
import { removeMembers, score, storeSortedSet } from './sorted-sets.ts'

/** A parsed range: selects members and returns them in ascending order. */
export type Selection = (entry: SortedSetEntry, reverse: boolean) => string[]

interface RangeOptions {
  by: 'rank' | 'score' | 'lex'
  reverse: boolean
  withScores: boolean
  offset: number
  /** -1 means no limit. */
  limit: number
}

/** Options that the older commands imply by their names, and that ZRANGE has as arguments. */
interface Form {
  readonly by?: RangeOptions['by']
  readonly reverse?: boolean
  /** Index of the source key; ZRANGESTORE has a target before it. */
  readonly keyAt: 1 | 2
}

function range(form: Form): Handler {
  return (session, args) => {
    const { keyAt } = form
    const options = parseOptions(args, form)
    if (options instanceof ErrorReply) return options
    const swapped = options.reverse && options.by !== 'rank'
    const [first, second] = [args[keyAt + 1]!, args[keyAt + 2]!]
    const selection = swapped ? parseSelection(second, first, options.by) : parseSelection(first, second, options.by)
    if (selection instanceof ErrorReply) return selection
    const entry = typedRead(session, args[keyAt]!, 'zset')
    if (entry instanceof ErrorReply) return entry
    const members = entry === undefined ? [] : limited(selection(entry, options.reverse), options)
    if (keyAt === 1) return entry === undefined ? [] : show(session, entry, members, options)
    return storeSortedSet(
      session,
      args[1]!,
      members.map((member) => [member, entry!.scores.get(member)!] as const),
      'zrangestore',
    )
  }
}

function parseOptions(args: readonly string[], form: Form): RangeOptions | ErrorReply {
  const options: RangeOptions = { by: 'rank', reverse: false, withScores: false, offset: 0, limit: -1, ...form }
  let mayChooseBy = form.by === undefined
  const mayReverse = form.reverse === undefined
  for (let at = form.keyAt + 3; at < args.length; at++) {
    const word = args[at]!.toLowerCase()
    if (form.keyAt === 1 && word === 'withscores') options.withScores = true
    else if (word === 'limit' && at + 2 < args.length) {
      const offset = integer(args[++at]!)
      if (offset instanceof ErrorReply) return offset
      const limit = integer(args[++at]!)
      if (limit instanceof ErrorReply) return limit
      options.offset = toIndex(offset)
      options.limit = toIndex(limit)
    } else if (mayReverse && word === 'rev' && !options.reverse) options.reverse = true
    else if (mayChooseBy && (word === 'byscore' || word === 'bylex')) {
      options.by = word === 'byscore' ? 'score' : 'lex'
      mayChooseBy = false
    } else return syntaxError
  }
  if (options.limit !== -1 && options.by === 'rank') {
    return new ErrorReply('ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX')
  }
  if (options.withScores && options.by === 'lex') {
    return new ErrorReply('ERR syntax error, WITHSCORES not supported in combination with BYLEX')
  }
  return options
}

function parseSelection(low: string, high: string, by: RangeOptions['by']): Selection | ErrorReply {
  if (by === 'score') return parseScoreRange(low, high)
  return by === 'lex' ? parseLexRange(low, high) : parseRankRange(low, high)
}

/** Parses a range by rank. Ranks of a reversed range count from the other end. */
function parseRankRange(low: string, high: string): Selection | ErrorReply {
  const from = integer(low)
  if (from instanceof ErrorReply) return from
  const to = integer(high)
  if (to instanceof ErrorReply) return to
  return (entry, reverse) => {
    const slice = sliceOf(toIndex(from), toIndex(to), entry.scores.size)
    if (slice === null) return []
    const { size } = entry.scores
    return reverse ? entry.ordered().slice(size - slice[1], size - slice[0]) : entry.ordered().slice(...slice)
  }
}

function limited(members: string[], { by, reverse, offset, limit }: RangeOptions): string[] {
  const ordered = reverse ? members.reverse() : members
  // The only limit that is accepted here is -1, which has no effect.
  if (by === 'rank') return ordered
  if (offset < 0) return []
  return ordered.slice(offset, limit < 0 ? undefined : offset + limit)
}

function show(session: Session, entry: SortedSetEntry, members: readonly string[], options: RangeOptions): Reply {
  if (!options.withScores) return members
  return showPairs(
    session,
    members.map((member) => [member, entry.scores.get(member)!]),
  )
}

/** Members with scores: flat in RESP2, in pairs in RESP3. */
export function showPairs(session: Session, pairs: readonly (readonly [string, number])[]): Reply {
  const shown = pairs.map(([member, value]): readonly [string, Reply] => [member, score(value)])
  return session.resp === 2 ? shown.flat() : shown
}

function count(by: 'score' | 'lex'): Handler {
  return (session, args) => {
    const selection = parseSelection(args[2]!, args[3]!, by)
    if (selection instanceof ErrorReply) return selection
    const entry = typedRead(session, args[1]!, 'zset')
    return entry === undefined || entry instanceof ErrorReply ? (entry ?? 0) : selection(entry, false).length
  }
}

function remove(by: RangeOptions['by']) {
  return (session: Session, args: readonly string[]): Answer => {
    const selection = parseSelection(args[2]!, args[3]!, by)
    if (selection instanceof ErrorReply) return selection
    const entry = typed(session, args[1]!, 'zset')
    if (entry === undefined || entry instanceof ErrorReply) return entry ?? 0
    return removeMembers(session, args[1]!, entry, selection(entry, false), `zremrangeby${by}`)
  }
}

export const sortedSetRangeHandlers: Handlers = {
  zrange: range({ keyAt: 1 }),
  zrangestore: range({ keyAt: 2 }),
  zrevrange: range({ keyAt: 1, by: 'rank', reverse: true }),
  zrangebyscore: range({ keyAt: 1, by: 'score', reverse: false }),
  zrevrangebyscore: range({ keyAt: 1, by: 'score', reverse: true }),
  zrangebylex: range({ keyAt: 1, by: 'lex', reverse: false }),
  zrevrangebylex: range({ keyAt: 1, by: 'lex', reverse: true }),
  zcount: count('score'),
  zlexcount: count('lex'),
  zremrangebyscore: remove('score'),
  zremrangebylex: remove('lex'),
  zremrangebyrank: remove('rank'),
}
