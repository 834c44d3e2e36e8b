/**
 * Commands on keys of any type, and on whole databases. SCAN is in scan.ts, expiry is in expiry.ts.
 */

import type { Answer, Handlers } from '../command.ts'
import { databaseOutOfRange, noSuchKey, sameObject, syntaxError } from '../errors.ts'
import { matchesGlob } from '../glob.ts'
import { copyEntry } from '../keyspace/entry.ts'
import { ErrorReply, OK, StatusReply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { smallInteger } from './arguments.ts'

function del(session: Session, args: readonly string[]): Answer {
  const { database } = session
  let deleted = 0
  for (let at = 1; at < args.length; at++) {
    if (database.peek(args[at]!) === undefined) continue
    database.remove(args[at]!)
    database.touched(args[at]!, 'g', 'del')
    deleted++
  }
  return deleted
}

function exists(session: Session, args: readonly string[]): Answer {
  let found = 0
  for (let at = 1; at < args.length; at++) if (session.database.glance(args[at]!) !== undefined) found++
  return found
}

function touch(session: Session, args: readonly string[]): Answer {
  let found = 0
  for (let at = 1; at < args.length; at++) if (session.database.read(args[at]!) !== undefined) found++
  return found
}

function rename(session: Session, from: string, to: string, onlyIfAbsent: boolean): Answer {
  const { database } = session
  const entry = database.get(from)
  if (entry === undefined) return noSuchKey
  if (from === to) return onlyIfAbsent ? 0 : OK
  if (database.get(to) !== undefined) {
    if (onlyIfAbsent) return 0
    database.remove(to)
  }
  database.remove(from)
  database.put(to, entry)
  database.touched(from, 'g', 'rename_from')
  database.touched(to, 'g', 'rename_to')
  return onlyIfAbsent ? 1 : OK
}

const copyInCluster = new ErrorReply('ERR Copying to another database is not allowed in cluster mode')
const moveInCluster = new ErrorReply('ERR MOVE is not allowed in cluster mode')
const swapInCluster = new ErrorReply('ERR SWAPDB is not allowed in cluster mode')

function copy(session: Session, args: readonly string[]): Answer {
  let target = session.database
  let replace = false
  for (let at = 3; at < args.length; at++) {
    const word = args[at]!.toLowerCase()
    if (word === 'replace') {
      replace = true
    } else if (word === 'db' && at + 1 < args.length) {
      const index = smallInteger(args[++at]!)
      if (index instanceof ErrorReply) return index
      const selected = session.server.keyspace.select(index)
      if (selected === undefined) return databaseOutOfRange
      target = selected
    } else return syntaxError
  }
  if (session.server.cluster !== null && target.index !== 0) return copyInCluster
  const [, from, to] = args as [string, string, string]
  if (target === session.database && from === to) return sameObject
  const entry = session.database.read(from)
  if (entry === undefined) return 0
  if (target.get(to) !== undefined) {
    if (!replace) return 0
    target.remove(to)
  }
  target.put(to, copyEntry(entry))
  target.touched(to, 'g', 'copy_to')
  return 1
}

function move(session: Session, [, key, to]: readonly string[]): Answer {
  if (session.server.cluster !== null) return moveInCluster
  const index = smallInteger(to!)
  if (index instanceof ErrorReply) return index
  const target = session.server.keyspace.select(index)
  if (target === undefined) return databaseOutOfRange
  if (target === session.database) return sameObject
  const entry = session.database.get(key!)
  if (entry === undefined || target.get(key!) !== undefined) return 0
  session.database.remove(key!)
  target.put(key!, entry)
  session.database.touched(key!, 'g', 'move_from')
  target.touched(key!, 'g', 'move_to')
  return 1
}

function keys(session: Session, [, pattern]: readonly string[]): Answer {
  const { database } = session
  const found: string[] = []
  for (const key of database.entries.keys()) {
    if ((pattern === '*' || matchesGlob(pattern!, key)) && !database.isExpired(key)) found.push(key)
  }
  return found
}

function randomkey(session: Session): Answer {
  const { database, server } = session
  database.dropExpired()
  const { size } = database.entries
  if (size === 0) return null
  let skip = server.environment.random(size)
  for (const key of database.entries.keys()) if (skip-- === 0) return key
  return null
}

function swapdb(session: Session, [, a, b]: readonly string[]): Answer {
  if (session.server.cluster !== null) return swapInCluster
  const first = smallInteger(a!, new ErrorReply('ERR invalid first DB index'))
  if (first instanceof ErrorReply) return first
  const second = smallInteger(b!, new ErrorReply('ERR invalid second DB index'))
  if (second instanceof ErrorReply) return second
  const { keyspace } = session.server
  const one = keyspace.select(first)
  const other = keyspace.select(second)
  if (one === undefined || other === undefined) return databaseOutOfRange
  keyspace.swap(one, other)
  if (one === other) keyspace.state.changes++
  return OK
}

function flushdb(session: Session, args: readonly string[]): Answer {
  if (!flushModeFits(args)) return syntaxError
  session.server.keyspace.flush(session.database)
  session.server.tracking.flushed()
  return OK
}

function flushall(session: Session, args: readonly string[]): Answer {
  if (!flushModeFits(args)) return syntaxError
  for (const database of session.server.keyspace.used()) session.server.keyspace.flush(database)
  session.server.tracking.flushed()
  session.server.replication.replicas.abortSync()
  session.server.persistence.flushed()
  return OK
}

function flushModeFits(args: readonly string[]): boolean {
  return args.length === 1 || (args.length === 2 && /^(a?sync)$/i.test(args[1]!))
}

export const keyHandlers: Handlers = {
  del,
  unlink: del,
  exists,
  touch,
  type: (session, args) => new StatusReply(session.database.glance(args[1]!)?.type ?? 'none'),
  rename: (session, args) => rename(session, args[1]!, args[2]!, false),
  renamenx: (session, args) => rename(session, args[1]!, args[2]!, true),
  copy,
  move,
  keys,
  randomkey,
  swapdb,
  flushdb,
  flushall,
  dbsize: (session) => {
    session.database.runExpiryCycle()
    return session.database.entries.size
  },
}
