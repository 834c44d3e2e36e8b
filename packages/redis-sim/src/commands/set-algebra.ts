/**
 * SINTER, SUNION, SDIFF and the commands that store or count their results. Source: t_set.c of
 * Redis 7.0.
 */

import type { Answer, Handlers } from '../command.ts'
import { syntaxError } from '../errors.ts'
import { SetEntry } from '../keyspace/entry.ts'
import { parseInt64 } from '../numbers/int64.ts'
import { ErrorReply, SetReply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { countFrom, typedRead } from './arguments.ts'
import { orderedMembers } from './scan.ts'
import { addTo } from './sets.ts'

type Operation = 'inter' | 'union' | 'diff'
type Sets = readonly (SetEntry | undefined)[]

function lookUp(session: Session, keys: readonly string[]): Sets | ErrorReply {
  const sets: (SetEntry | undefined)[] = []
  for (const key of keys) {
    const entry = typedRead(session, key, 'set')
    if (entry instanceof ErrorReply) return entry
    sets.push(entry)
  }
  return sets
}

/** Combines the sets. Members of an intset are in ascending order. */
function combine(sets: Sets, operation: Operation): string[] {
  if (operation === 'union') return [...new Set(sets.flatMap((set) => (set === undefined ? [] : orderedMembers(set))))]
  if (operation === 'inter') {
    if (sets.includes(undefined)) return []
    const [smallest, ...others] = ([...sets] as SetEntry[]).sort((a, b) => a.members.size - b.members.size)
    return orderedMembers(smallest!).filter((member) => others.every((other) => other.members.has(member)))
  }
  const [first, ...others] = sets
  return first === undefined
    ? []
    : orderedMembers(first).filter((member) => !others.some((set) => set?.members.has(member)))
}

function compute(operation: Operation) {
  return (session: Session, args: readonly string[]): Answer => {
    const sets = lookUp(session, args.slice(1))
    if (sets instanceof ErrorReply) return sets
    const members = combine(sets, operation)
    return new SetReply(operation === 'inter' ? members : inOrder(members))
  }
}

/**
 * Sorts the members if they fit an intset: real Redis collects them in a new set, which may be an
 * intset.
 */
function inOrder(members: readonly string[]): string[] {
  const integers = members.length <= 512 && members.every((member) => parseInt64(member) !== undefined)
  return orderedMembers({ members: new Set(members), integers })
}

function store(operation: Operation) {
  return (session: Session, args: readonly string[]): Answer => {
    const sets = lookUp(session, args.slice(2))
    if (sets instanceof ErrorReply) return sets
    const { database } = session
    const key = args[1]!
    const result = new SetEntry()
    for (const member of combine(sets, operation)) addTo(session, result, member)
    if (result.members.size === 0) {
      if (database.remove(key)) database.touched(key, 'g', 'del')
      return 0
    }
    database.put(key, result)
    database.touched(key, 's', `s${operation}store`)
    return result.members.size
  }
}

function sintercard(session: Session, args: readonly string[]): Answer {
  const numkeys = countFrom(1, args[1]!, new ErrorReply('ERR numkeys should be greater than 0'))
  if (numkeys instanceof ErrorReply) return numkeys
  if (numkeys > args.length - 2) return new ErrorReply("ERR Number of keys can't be greater than number of args")
  let limit = 0
  for (let at = 2 + numkeys; at < args.length; at += 2) {
    const value = args[at + 1]
    if (args[at]!.toLowerCase() !== 'limit' || value === undefined) return syntaxError
    const parsed = countFrom(0, value, new ErrorReply("ERR LIMIT can't be negative"))
    if (parsed instanceof ErrorReply) return parsed
    limit = parsed
  }
  const sets = lookUp(session, args.slice(2, 2 + numkeys))
  if (sets instanceof ErrorReply) return sets
  const { length } = combine(sets, 'inter')
  return limit === 0 ? length : Math.min(length, limit)
}

export const setAlgebraHandlers: Handlers = {
  sinter: compute('inter'),
  sunion: compute('union'),
  sdiff: compute('diff'),
  sinterstore: store('inter'),
  sunionstore: store('union'),
  sdiffstore: store('diff'),
  sintercard,
}
