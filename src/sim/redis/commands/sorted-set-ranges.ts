/** Ranges of sorted sets by rank and by score. Ranges by member (BYLEX) are not simulated. */
import { ErrorReply, type Reply } from '../../lua/reply.ts'
import type { Answer, Handlers } from '../command.ts'
import { syntaxError } from '../errors.ts'
import type { SortedSetEntry } from '../keyspace/entry.ts'
import { parseLooseDouble } from '../numbers/double.ts'
import { toIndex } from '../numbers/int64.ts'
import type { Session } from '../session.ts'
import { integer, typed, typedRead } from './arguments.ts'
import { sliceOf } from './lists.ts'
import { removeMembers, score } from './sorted-sets.ts'

interface RangeOptions {
  by: 'rank' | 'score'
  reverse: boolean
  withScores: boolean
  offset: number
  /** -1: all. */
  limit: number
}

interface ScoreRange {
  readonly min: number
  readonly max: number
  readonly minOpen: boolean
  readonly maxOpen: boolean
}

/** `fixed`: the older commands say by name what ZRANGE takes as options. */
function zrange(fixed: Partial<RangeOptions>, mayChoose: boolean) {
  return (session: Session, args: readonly string[]): Answer => {
    const options = parseOptions(session, args, fixed, mayChoose)
    if (options instanceof ErrorReply) return options
    if (options.by === 'rank') return byRank(session, args, options)
    const [low, high] = options.reverse ? [args[3]!, args[2]!] : [args[2]!, args[3]!]
    const range = parseRange(low, high)
    if (range instanceof ErrorReply) return range
    const entry = typedRead(session, args[1]!, 'zset')
    if (entry === undefined || entry instanceof ErrorReply) return entry ?? []
    return show(session, entry, limited(membersWithin(entry, range), options), options)
  }
}

function parseOptions(
  session: Session,
  args: readonly string[],
  fixed: Partial<RangeOptions>,
  mayChoose: boolean,
): RangeOptions | ErrorReply {
  const options: RangeOptions = { by: 'rank', reverse: false, withScores: false, offset: 0, limit: -1, ...fixed }
  for (let at = 4; at < args.length; at++) {
    const word = args[at]!.toLowerCase()
    if (word === 'withscores') options.withScores = true
    else if (word === 'limit' && at + 2 < args.length) {
      const offset = integer(args[++at]!)
      if (offset instanceof ErrorReply) return offset
      const limit = integer(args[++at]!)
      if (limit instanceof ErrorReply) return limit
      options.offset = toIndex(offset)
      options.limit = toIndex(limit)
    } else if (mayChoose && word === 'rev' && !options.reverse) options.reverse = true
    else if (mayChoose && word === 'byscore' && options.by === 'rank') options.by = 'score'
    else {
      if (mayChoose && word === 'bylex') session.server.environment.unsupported('ZRANGE BYLEX')
      return syntaxError
    }
  }
  if (options.limit !== -1 && options.by === 'rank') {
    return new ErrorReply('ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX')
  }
  return options
}

function byRank(session: Session, args: readonly string[], options: RangeOptions): Answer {
  const from = integer(args[2]!)
  if (from instanceof ErrorReply) return from
  const to = integer(args[3]!)
  if (to instanceof ErrorReply) return to
  const entry = typedRead(session, args[1]!, 'zset')
  if (entry === undefined || entry instanceof ErrorReply) return entry ?? []
  const slice = sliceOf(toIndex(from), toIndex(to), entry.scores.size)
  if (slice === null) return []
  const members = options.reverse ? [...entry.ordered()].reverse() : entry.ordered()
  return show(session, entry, members.slice(...slice), options)
}

function show(
  session: Session,
  entry: SortedSetEntry,
  members: readonly string[],
  { withScores }: RangeOptions,
): Reply {
  if (!withScores) return members
  const pairs = members.map((member): readonly [string, Reply] => [member, score(entry.scores.get(member)!)])
  return session.resp === 2 ? pairs.flat() : pairs
}

function limited(members: string[], { reverse, offset, limit }: RangeOptions): string[] {
  if (offset < 0) return []
  const ordered = reverse ? members.reverse() : members
  return ordered.slice(offset, limit < 0 ? undefined : offset + limit)
}

function parseRange(min: string, max: string): ScoreRange | ErrorReply {
  const [minOpen, maxOpen] = [min.startsWith('('), max.startsWith('(')]
  const low = parseLooseDouble(minOpen ? min.slice(1) : min)
  const high = parseLooseDouble(maxOpen ? max.slice(1) : max)
  if (low === undefined || high === undefined) return new ErrorReply('ERR min or max is not a float')
  return { min: low, max: high, minOpen, maxOpen }
}

function membersWithin(entry: SortedSetEntry, { min, max, minOpen, maxOpen }: ScoreRange): string[] {
  return entry.ordered().filter((member) => {
    const value = entry.scores.get(member)!
    return (minOpen ? value > min : value >= min) && (maxOpen ? value < max : value <= max)
  })
}

function zcount(session: Session, args: readonly string[]): Answer {
  const range = parseRange(args[2]!, args[3]!)
  if (range instanceof ErrorReply) return range
  const entry = typedRead(session, args[1]!, 'zset')
  return entry === undefined || entry instanceof ErrorReply ? (entry ?? 0) : membersWithin(entry, range).length
}

function zremrangebyscore(session: Session, args: readonly string[]): Answer {
  const range = parseRange(args[2]!, args[3]!)
  if (range instanceof ErrorReply) return range
  const entry = typed(session, args[1]!, 'zset')
  if (entry === undefined || entry instanceof ErrorReply) return entry ?? 0
  return removeMembers(session, args[1]!, entry, membersWithin(entry, range))
}

export const sortedSetRangeHandlers: Handlers = {
  zrange: zrange({}, true),
  zrevrange: zrange({ reverse: true }, false),
  zrangebyscore: zrange({ by: 'score' }, false),
  zrevrangebyscore: zrange({ by: 'score', reverse: true }, false),
  zcount,
  zremrangebyscore,
}
