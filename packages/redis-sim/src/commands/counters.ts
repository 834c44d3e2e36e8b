/** INCR and related commands on strings: 64-bit integers, and long doubles for INCRBYFLOAT. */

import type { Answer, Handlers } from '../command.ts'
import { notFloat, notInteger, wouldBeNaN, wouldOverflow } from '../errors.ts'
import { StringEntry } from '../keyspace/entry.ts'
import { addInt64, type Int64, int64Min, parseInt64 } from '../numbers/int64.ts'
import { addLongDouble, formatLongDouble, infinite, parseLongDouble } from '../numbers/long-double.ts'
import { ErrorReply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer, typed } from './arguments.ts'

function add(session: Session, key: string, amount: Int64): Answer {
  const entry = typed(session, key, 'string')
  if (entry instanceof ErrorReply) return entry
  const before = entry === undefined ? 0 : parseInt64(entry.text)
  if (before === undefined) return notInteger
  const after = addInt64(before, amount)
  if (after === undefined) return wouldOverflow
  if (entry === undefined) {
    session.database.put(key, new StringEntry(String(after)))
  } else {
    entry.text = String(after)
    entry.origin = 'auto'
  }
  session.database.touched(key, '$', 'incrby')
  return after
}

function incrby(session: Session, [, key, amount]: readonly string[]): Answer {
  const parsed = integer(amount!)
  return parsed instanceof ErrorReply ? parsed : add(session, key!, parsed)
}

function decrby(session: Session, [, key, amount]: readonly string[]): Answer {
  const parsed = integer(amount!)
  if (parsed instanceof ErrorReply) return parsed
  if (parsed === int64Min) return new ErrorReply('ERR decrement would overflow')
  return add(session, key!, parsed === 0 ? 0 : -parsed)
}

function incrbyfloat(session: Session, [, key, amount]: readonly string[]): Answer {
  const entry = typed(session, key!, 'string')
  if (entry instanceof ErrorReply) return entry
  const before = parseLongDouble(entry?.text ?? '0')
  const increment = parseLongDouble(amount!)
  if (before === undefined || increment === undefined) return notFloat
  const after = before === infinite || increment === infinite ? infinite : addLongDouble(before, increment)
  if (after === infinite) return wouldBeNaN
  const text = formatLongDouble(after)
  if (entry === undefined) {
    session.database.put(key!, new StringEntry(text, 'text'))
  } else {
    entry.text = text
    entry.origin = 'text'
  }
  session.database.touched(key!, '$', 'incrbyfloat')
  return text
}

export const counterHandlers: Handlers = {
  incr: (session, args) => add(session, args[1]!, 1),
  decr: (session, args) => add(session, args[1]!, -1),
  incrby,
  decrby,
  incrbyfloat,
}
