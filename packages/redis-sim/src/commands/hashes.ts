/**
 * Hashes: reading, writing and deleting fields. Counters and HRANDFIELD are in hash-counters.ts and
 * hash-random.ts.
 */

import type { Answer, Handler, Handlers } from '../command.ts'
import { wrongArity } from '../errors.ts'
import { checkHashSize, widenHash } from '../keyspace/encoding.ts'
import { HashEntry } from '../keyspace/entry.ts'
import { ErrorReply, MapReply, OK, type Reply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { typed, typedRead } from './arguments.ts'

/** The hash of a key; creates and stores it if it is missing. */
export function hashForWriting(session: Session, key: string): HashEntry | ErrorReply {
  const existing = typed(session, key, 'hash')
  if (existing !== undefined) return existing
  const entry = new HashEntry()
  session.database.put(key, entry)
  return entry
}

/** Sets one field and converts the encoding as Redis does. */
export function setField(session: Session, entry: HashEntry, field: string, value: string): void {
  const { config } = session.server
  widenHash(entry, [field, value], 0, config)
  entry.fields.set(field, value)
  checkHashSize(entry, config)
}

function setAll(session: Session, args: readonly string[]): number | ErrorReply {
  if (args.length % 2 === 1) return wrongArity(session.command!.fullName)
  const key = args[1]!
  const entry = hashForWriting(session, key)
  if (entry instanceof ErrorReply) return entry
  const { fields } = entry
  const before = fields.size
  widenHash(entry, args, 2, session.server.config)
  for (let at = 2; at < args.length; at += 2) fields.set(args[at]!, args[at + 1]!)
  checkHashSize(entry, session.server.config)
  session.database.touched(key, 'h', 'hset')
  return fields.size - before
}

function hmset(session: Session, args: readonly string[]): Answer {
  const added = setAll(session, args)
  return added instanceof ErrorReply ? added : OK
}

function hsetnx(session: Session, [, key, field, value]: readonly string[]): Answer {
  const entry = hashForWriting(session, key!)
  if (entry instanceof ErrorReply) return entry
  if (entry.fields.has(field!)) return 0
  setField(session, entry, field!, value!)
  session.database.touched(key!, 'h', 'hset')
  return 1
}

function hdel(session: Session, args: readonly string[]): Answer {
  const key = args[1]!
  const entry = typed(session, key, 'hash')
  if (entry === undefined) return 0
  if (entry instanceof ErrorReply) return entry
  let deleted = 0
  for (let at = 2; at < args.length; at++) if (entry.fields.delete(args[at]!)) deleted++
  if (deleted > 0) session.database.touched(key, 'h', 'hdel')
  if (entry.fields.size === 0) session.database.removeEmptied(key)
  return deleted
}

function hget(session: Session, args: readonly string[]): Answer {
  const entry = typedRead(session, args[1]!, 'hash')
  if (entry === undefined) return null
  return entry instanceof ErrorReply ? entry : (entry.fields.get(args[2]!) ?? null)
}

function hmget(session: Session, args: readonly string[]): Answer {
  const entry = typedRead(session, args[1]!, 'hash')
  if (entry instanceof ErrorReply) return entry
  return args.slice(2).map((field) => entry?.fields.get(field) ?? null)
}

/** A command that reads one hash and replies `absent` if it is missing. */
function reading(
  absent: Reply,
  read: (fields: ReadonlyMap<string, string>, args: readonly string[]) => Reply,
): Handler {
  return (session, args) => {
    const entry = typedRead(session, args[1]!, 'hash')
    if (entry === undefined) return absent
    return entry instanceof ErrorReply ? entry : read(entry.fields, args)
  }
}

export const hashHandlers: Handlers = {
  hset: setAll,
  hmset,
  hsetnx,
  hdel,
  hget,
  hmget,
  hexists: reading(0, (fields, args) => (fields.has(args[2]!) ? 1 : 0)),
  hstrlen: reading(0, (fields, args) => fields.get(args[2]!)?.length ?? 0),
  hlen: reading(0, (fields) => fields.size),
  hkeys: reading([], (fields) => [...fields.keys()]),
  hvals: reading([], (fields) => [...fields.values()]),
  hgetall: reading(new MapReply([]), (fields) => {
    const entries: string[] = []
    for (const [field, value] of fields) entries.push(field, value)
    return new MapReply(entries)
  }),
}
