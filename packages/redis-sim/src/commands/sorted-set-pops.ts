/** ZPOPMIN, ZMPOP and their blocking forms. Source: t_zset.c of Redis 7.0. */

import type { Answer, Handler, Handlers } from '../command.ts'
import { syntaxError } from '../errors.ts'
import type { SortedSetEntry } from '../keyspace/entry.ts'
import { ErrorReply, nullArray, type Reply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { positiveCount, timeoutSeconds, typed } from './arguments.ts'
import { orWait, parsePopMany } from './list-pops.ts'
import { removeMembers, score } from './sorted-sets.ts'

type Where = 'min' | 'max'
type MemberAndScore = readonly [string, Reply]

function take(session: Session, key: string, entry: SortedSetEntry, where: Where, count: number): MemberAndScore[] {
  const members = entry.ordered()
  const taken = where === 'min' ? members.slice(0, count) : members.slice(-count).reverse()
  const pairs = taken.map((member): MemberAndScore => [member, score(entry.scores.get(member)!)])
  removeMembers(session, key, entry, taken, `zpop${where}`)
  return pairs
}

function pop(where: Where): Handler {
  return (session, args) => {
    if (args.length > 3) return syntaxError
    const count = args[2] === undefined ? undefined : positiveCount(args[2])
    if (count instanceof ErrorReply) return count
    const entry = typed(session, args[1]!, 'zset')
    if (entry instanceof ErrorReply) return entry
    if (entry === undefined || count === 0) return []
    const pairs = take(session, args[1]!, entry, where, count ?? 1)
    return session.resp === 3 && count !== undefined ? pairs : pairs.flat()
  }
}

/** Pops from the first key that holds a sorted set; undefined if all keys are missing. */
function popFirst(
  session: Session,
  keys: readonly string[],
  take: (key: string, entry: SortedSetEntry) => Reply,
): Reply | undefined {
  for (const key of keys) {
    const entry = typed(session, key, 'zset')
    if (entry === undefined) continue
    return entry instanceof ErrorReply ? entry : take(key, entry)
  }
  return undefined
}

function blockingPop(where: Where): Handler {
  return (session, args) => {
    const limit = timeoutSeconds(args.at(-1)!)
    if (limit instanceof ErrorReply) return limit
    const takeOne = (key: string, entry: SortedSetEntry) => [key, ...take(session, key, entry, where, 1).flat()]
    return orWait(session, args.slice(1, -1), limit, nullArray, (keys) => popFirst(session, keys, takeOne), 'zset')
  }
}

function popMany(numkeysAt: 1 | 2) {
  return (session: Session, args: readonly string[]): Answer => {
    const asked = parsePopMany(args, numkeysAt, /^(min|max)$/i)
    if (asked instanceof ErrorReply) return asked
    const { keys, from, count } = asked
    const takeMany = (key: string, entry: SortedSetEntry) => [key, take(session, key, entry, from as Where, count)]
    if (numkeysAt === 1) return popFirst(session, keys, takeMany) ?? nullArray
    const limit = timeoutSeconds(args[1]!)
    if (limit instanceof ErrorReply) return limit
    return orWait(session, keys, limit, nullArray, (some) => popFirst(session, some, takeMany), 'zset')
  }
}

export const sortedSetPopHandlers: Handlers = {
  zpopmin: pop('min'),
  zpopmax: pop('max'),
  bzpopmin: blockingPop('min'),
  bzpopmax: blockingPop('max'),
  zmpop: popMany(1),
  bzmpop: popMany(2),
}
