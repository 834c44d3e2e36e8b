/** Commands on one set. The algebra between sets is in set-algebra.ts. */

import type { Answer, Handlers } from '../command.ts'
import { syntaxError } from '../errors.ts'
import { checkSet } from '../keyspace/encoding.ts'
import { SetEntry } from '../keyspace/entry.ts'
import { ErrorReply, SetReply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { positiveCount, typed, typedRead } from './arguments.ts'
import { one, sample, sampleCount } from './sample.ts'
import { orderedMembers } from './scan.ts'

export function addTo(session: Session, entry: SetEntry, member: string): boolean {
  if (entry.members.has(member)) return false
  entry.members.add(member)
  checkSet(entry, member, session.server.config)
  return true
}

function setForWriting(session: Session, key: string): SetEntry | ErrorReply {
  const existing = typed(session, key, 'set')
  if (existing !== undefined) return existing
  const entry = new SetEntry()
  session.database.put(key, entry)
  return entry
}

function sadd(session: Session, args: readonly string[]): Answer {
  const entry = setForWriting(session, args[1]!)
  if (entry instanceof ErrorReply) return entry
  let added = 0
  for (let at = 2; at < args.length; at++) if (addTo(session, entry, args[at]!)) added++
  if (added > 0) session.database.touched(args[1]!, 's', 'sadd')
  return added
}

function removed(session: Session, key: string, entry: SetEntry, event: 'srem' | 'spop'): void {
  session.database.touched(key, 's', event)
  if (entry.members.size === 0) session.database.removeEmptied(key)
}

function srem(session: Session, args: readonly string[]): Answer {
  const entry = typed(session, args[1]!, 'set')
  if (entry === undefined || entry instanceof ErrorReply) return entry ?? 0
  let gone = 0
  for (let at = 2; at < args.length; at++) if (entry.members.delete(args[at]!)) gone++
  if (gone > 0) removed(session, args[1]!, entry, 'srem')
  return gone
}

function smove(session: Session, [, from, to, member]: readonly string[]): Answer {
  const source = session.database.get(from!)
  const target = session.database.get(to!)
  if (source === undefined) return 0
  const checked = typed(session, from!, 'set')
  if (checked instanceof ErrorReply) return checked
  if (target !== undefined && target.type !== 'set') return typed(session, to!, 'set') as ErrorReply
  if (source === target) return checked!.members.has(member!) ? 1 : 0
  if (!checked!.members.delete(member!)) return 0
  removed(session, from!, checked!, 'srem')
  const receiver = setForWriting(session, to!) as SetEntry
  if (addTo(session, receiver, member!)) session.database.touched(to!, 's', 'sadd')
  return 1
}

function smismember(session: Session, args: readonly string[]): Answer {
  const entry = typedRead(session, args[1]!, 'set')
  if (entry instanceof ErrorReply) return entry
  return args.slice(2).map((member) => (entry?.members.has(member) ? 1 : 0))
}

function sismember(session: Session, args: readonly string[]): Answer {
  const entry = typedRead(session, args[1]!, 'set')
  return entry instanceof ErrorReply ? entry : entry?.members.has(args[2]!) ? 1 : 0
}

function smembers(session: Session, args: readonly string[]): Answer {
  const entry = typedRead(session, args[1]!, 'set')
  if (entry instanceof ErrorReply) return entry
  return new SetReply(entry === undefined ? [] : orderedMembers(entry))
}

function scard(session: Session, args: readonly string[]): Answer {
  const entry = typedRead(session, args[1]!, 'set')
  return entry instanceof ErrorReply ? entry : (entry?.members.size ?? 0)
}

function spop(session: Session, args: readonly string[]): Answer {
  if (args.length > 3) return syntaxError
  const count = args[2] === undefined ? undefined : positiveCount(args[2])
  if (count instanceof ErrorReply) return count
  const entry = typed(session, args[1]!, 'set')
  if (entry instanceof ErrorReply) return entry
  if (entry === undefined || count === 0) return count === undefined ? null : new SetReply([])
  const taken = sample(orderedMembers(entry), count ?? 1, session.server.environment) as string[]
  for (const member of taken) entry.members.delete(member)
  removed(session, args[1]!, entry, 'spop')
  return count === undefined ? taken[0]! : new SetReply(taken)
}

function srandmember(session: Session, args: readonly string[]): Answer {
  if (args.length > 3) return syntaxError
  const count = args[2] === undefined ? undefined : sampleCount(args[2])
  if (count instanceof ErrorReply) return count
  const entry = typedRead(session, args[1]!, 'set')
  if (entry instanceof ErrorReply) return entry
  if (entry === undefined) return count === undefined ? null : []
  const members = orderedMembers(entry)
  if (count === undefined) return one(members, session.server.environment)
  return sample(members, Number(count), session.server.environment)
}

export const setHandlers: Handlers = { sadd, srem, smove, sismember, smismember, smembers, scard, spop, srandmember }
