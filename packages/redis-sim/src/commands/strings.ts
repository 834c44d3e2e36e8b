/**
 * GET, APPEND, ranges and multi-key commands. SET and its variants are in string-set.ts, counters
 * in counters.ts.
 */

import type { Answer, Handlers } from '../command.ts'
import { tooLong, wrongArity } from '../errors.ts'
import { StringEntry } from '../keyspace/entry.ts'
import { toIndex } from '../numbers/int64.ts'
import { ErrorReply, OK } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer, typed, typedRead } from './arguments.ts'

export function getString(session: Session, key: string): string | null | ErrorReply {
  const entry = typedRead(session, key, 'string')
  if (entry === undefined) return null
  return entry instanceof ErrorReply ? entry : entry.text
}

function getdel(session: Session, [, key]: readonly string[]): Answer {
  const value = getString(session, key!)
  if (typeof value === 'string') {
    session.database.remove(key!)
    session.database.touched(key!, 'g', 'del')
  }
  return value
}

function strlen(session: Session, [, key]: readonly string[]): Answer {
  const value = getString(session, key!)
  return typeof value === 'string' ? value.length : (value ?? 0)
}

/**
 * Maximum length of a string in the simulation. JavaScript's limit is lower than Redis's, and a
 * reply must fit in one string.
 */
const simulatedLimit = 256 * 1024 * 1024

export function tooLongFor({ server }: Session, length: number): boolean {
  if (length > server.config.protoMaxBulkLen) return true
  if (length > simulatedLimit) server.environment.unsupported('a string longer than 256 MB')
  return length > simulatedLimit
}

function append(session: Session, [, key, value]: readonly string[]): Answer {
  const entry = typed(session, key!, 'string')
  if (entry instanceof ErrorReply) return entry
  if (entry === undefined) {
    session.database.put(key!, new StringEntry(value!))
    session.database.touched(key!, '$', 'append')
    return value!.length
  }
  if (tooLongFor(session, entry.text.length + value!.length)) return tooLong
  entry.text += value!
  entry.origin = 'raw'
  session.database.touched(key!, '$', 'append')
  return entry.text.length
}

function getrange(session: Session, [, key, from, to]: readonly string[]): Answer {
  const first = integer(from!)
  if (first instanceof ErrorReply) return first
  const last = integer(to!)
  if (last instanceof ErrorReply) return last
  const text = getString(session, key!)
  if (typeof text !== 'string') return text ?? ''
  const { length } = text
  let start = toIndex(first)
  let end = toIndex(last)
  if (start < 0 && end < 0 && start > end) return ''
  if (start < 0) start = Math.max(0, length + start)
  if (end < 0) end = Math.max(0, length + end)
  return text.slice(start, Math.min(end, length - 1) + 1)
}

function setrange(session: Session, [, key, at, value]: readonly string[]): Answer {
  const parsed = integer(at!)
  if (parsed instanceof ErrorReply) return parsed
  if (parsed < 0) return new ErrorReply('ERR offset is out of range')
  const offset = toIndex(parsed)
  const entry = typed(session, key!, 'string')
  if (entry instanceof ErrorReply) return entry
  if (value === '') return entry?.text.length ?? 0
  if (tooLongFor(session, offset + value!.length)) return tooLong
  const text = (entry?.text ?? '').padEnd(offset, '\0')
  const changed = text.slice(0, offset) + value! + text.slice(offset + value!.length)
  if (entry === undefined) {
    session.database.put(key!, new StringEntry(changed, 'raw'))
  } else {
    entry.text = changed
    entry.origin = 'raw'
  }
  session.database.touched(key!, '$', 'setrange')
  return changed.length
}

function mget(session: Session, args: readonly string[]): Answer {
  const values: (string | null)[] = []
  for (let at = 1; at < args.length; at++) {
    const entry = session.database.read(args[at]!)
    values.push(entry?.type === 'string' ? entry.text : null)
  }
  return values
}

function mset(session: Session, args: readonly string[]): Answer {
  if (args.length % 2 === 0) return wrongArity('mset')
  storeAll(session, args)
  return OK
}

function msetnx(session: Session, args: readonly string[]): Answer {
  if (args.length % 2 === 0) return wrongArity('msetnx')
  for (let at = 1; at < args.length; at += 2) if (session.database.get(args[at]!) !== undefined) return 0
  storeAll(session, args)
  return 1
}

function storeAll(session: Session, args: readonly string[]): void {
  for (let at = 1; at < args.length; at += 2) {
    session.database.put(args[at]!, new StringEntry(args[at + 1]!))
    session.database.touched(args[at]!, '$', 'set')
  }
}

export const stringHandlers: Handlers = {
  get: (session, args) => getString(session, args[1]!),
  getdel,
  strlen,
  append,
  getrange,
  substr: getrange,
  setrange,
  mget,
  mset,
  msetnx,
}
