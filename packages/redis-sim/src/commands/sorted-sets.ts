/**
 * Sorted sets: adding, removing and scores. Ranges are in sorted-set-ranges.ts, set algebra in
 * sorted-set-algebra.ts.
 */

import type { Answer, Handlers } from '../command.ts'
import { notFloat, syntaxError } from '../errors.ts'
import { checkSortedSet } from '../keyspace/encoding.ts'
import { SortedSetEntry } from '../keyspace/entry.ts'
import { formatDouble, parseDouble } from '../numbers/double.ts'
import { DoubleReply, ErrorReply, type Reply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { typed, typedRead } from './arguments.ts'

const notANumber = new ErrorReply('ERR resulting score is not a number (NaN)')

export function score(value: number): DoubleReply {
  return new DoubleReply(value, formatDouble(value))
}

function zadd(session: Session, args: readonly string[]): Answer {
  const options = new Set<string>()
  let at = 2
  while (at < args.length && /^(nx|xx|ch|incr|gt|lt)$/i.test(args[at]!)) options.add(args[at++]!.toLowerCase())
  const pairs = args.slice(at)
  if (pairs.length === 0 || pairs.length % 2 === 1) return syntaxError
  const conflict = optionConflict(options, pairs.length / 2)
  if (conflict !== undefined) return conflict
  return addAll(session, args[1]!, pairs, options)
}

function optionConflict(options: ReadonlySet<string>, pairs: number): ErrorReply | undefined {
  const has = (name: string) => options.has(name)
  if (has('nx') && has('xx')) return new ErrorReply('ERR XX and NX options at the same time are not compatible')
  if ((has('gt') && has('nx')) || (has('lt') && has('nx')) || (has('gt') && has('lt'))) {
    return new ErrorReply('ERR GT, LT, and/or NX options at the same time are not compatible')
  }
  return has('incr') && pairs > 1
    ? new ErrorReply('ERR INCR option supports a single increment-element pair')
    : undefined
}

function addAll(session: Session, key: string, pairs: readonly string[], options: ReadonlySet<string>): Answer {
  const scores: number[] = []
  for (let at = 0; at < pairs.length; at += 2) {
    const parsed = parseDouble(pairs[at]!)
    if (parsed === undefined) return notFloat
    scores.push(parsed)
  }
  let entry = typed(session, key, 'zset')
  if (entry instanceof ErrorReply) return entry
  if (entry === undefined) {
    if (options.has('xx')) return options.has('incr') ? null : 0
    entry = new SortedSetEntry()
    session.database.put(key, entry)
  }
  const counts = { added: 0, updated: 0 }
  let last: number | null = null
  for (const [at, asked] of scores.entries()) {
    const given = addOne(session, entry, pairs[2 * at + 1]!, asked, options, counts)
    if (given instanceof ErrorReply) return given
    last = given
  }
  if (counts.added + counts.updated > 0) session.database.touched(key, 'z', options.has('incr') ? 'zincr' : 'zadd')
  if (options.has('incr')) return last === null ? null : score(last)
  return options.has('ch') ? counts.added + counts.updated : counts.added
}

/** The member's new score; null if a condition prevented the update. */
function addOne(
  session: Session,
  entry: SortedSetEntry,
  member: string,
  asked: number,
  options: ReadonlySet<string>,
  counts: { added: number; updated: number },
): number | null | ErrorReply {
  const current = entry.scores.get(member)
  if (current === undefined ? options.has('xx') : options.has('nx')) return null
  const wanted = current !== undefined && options.has('incr') ? current + asked : asked
  if (Number.isNaN(wanted)) return notANumber
  if (current !== undefined) {
    if ((options.has('lt') && wanted >= current) || (options.has('gt') && wanted <= current)) return null
    if (wanted === current) return wanted
    counts.updated++
  } else {
    counts.added++
  }
  entry.scores.set(member, wanted)
  entry.order = null
  checkSortedSet(entry, member, session.server.config)
  // A listpack stores whole numbers as integers, which have no negative zero.
  if (entry.compact && wanted === 0) entry.scores.set(member, 0)
  return wanted
}

/** Removes members; deletes the key if the sorted set becomes empty. */
export function removeMembers(
  session: Session,
  key: string,
  entry: SortedSetEntry,
  members: readonly string[],
  event: string,
): number {
  let gone = 0
  for (const member of members) if (entry.scores.delete(member)) gone++
  if (gone === 0) return 0
  entry.order = null
  session.database.touched(key, 'z', event)
  if (entry.scores.size === 0) session.database.removeEmptied(key)
  return gone
}

/** Replaces the value of the key by the pairs; deletes the key if there are none. */
export function storeSortedSet(
  session: Session,
  key: string,
  pairs: readonly (readonly [string, number])[],
  event: string,
): number {
  const { database, server } = session
  if (pairs.length === 0) {
    if (database.remove(key)) database.touched(key, 'g', 'del')
    return 0
  }
  const result = new SortedSetEntry()
  for (const [member, value] of pairs) {
    result.scores.set(member, value)
    checkSortedSet(result, member, server.config)
  }
  if (result.compact) for (const [member, value] of pairs) if (value === 0) result.scores.set(member, 0)
  database.put(key, result)
  database.touched(key, 'z', event)
  return pairs.length
}

function zrem(session: Session, args: readonly string[]): Answer {
  const entry = typed(session, args[1]!, 'zset')
  if (entry === undefined || entry instanceof ErrorReply) return entry ?? 0
  return removeMembers(session, args[1]!, entry, args.slice(2), 'zrem')
}

function reading(absent: Reply, read: (entry: SortedSetEntry, args: readonly string[]) => Reply) {
  return (session: Session, args: readonly string[]): Answer => {
    const entry = typedRead(session, args[1]!, 'zset')
    if (entry === undefined || entry instanceof ErrorReply) return entry ?? absent
    return read(entry, args)
  }
}

function scoreOf(entry: SortedSetEntry, member: string): Reply {
  const value = entry.scores.get(member)
  return value === undefined ? null : score(value)
}

export const sortedSetHandlers: Handlers = {
  zadd,
  zincrby: (session, args) => addAll(session, args[1]!, [args[2]!, args[3]!], new Set(['incr'])),
  zrem,
  zcard: reading(0, (entry) => entry.scores.size),
  zscore: reading(null, (entry, args) => scoreOf(entry, args[2]!)),
  zmscore: (session, args) => {
    const entry = typedRead(session, args[1]!, 'zset')
    if (entry instanceof ErrorReply) return entry
    return args.slice(2).map((member) => (entry === undefined ? null : scoreOf(entry, member)))
  },
  zrank: reading(null, (entry, args) => {
    const rank = entry.ordered().indexOf(args[2]!)
    return rank === -1 ? null : rank
  }),
  zrevrank: reading(null, (entry, args) => {
    const rank = entry.ordered().indexOf(args[2]!)
    return rank === -1 ? null : entry.scores.size - 1 - rank
  }),
}
