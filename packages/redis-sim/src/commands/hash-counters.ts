/** HINCRBY and HINCRBYFLOAT. */

import type { Answer, Handlers } from '../command.ts'
import { notFloat, wouldBeNaN, wouldOverflow } from '../errors.ts'
import { addInt64, parseInt64 } from '../numbers/int64.ts'
import { addLongDouble, formatLongDouble, infinite, parseLongDouble } from '../numbers/long-double.ts'
import { ErrorReply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer } from './arguments.ts'
import { hashForWriting, setField } from './hashes.ts'

function hincrby(session: Session, [, key, field, amount]: readonly string[]): Answer {
  const increment = integer(amount!)
  if (increment instanceof ErrorReply) return increment
  const entry = hashForWriting(session, key!)
  if (entry instanceof ErrorReply) return entry
  const before = parseInt64(entry.fields.get(field!) ?? '0')
  if (before === undefined) return new ErrorReply('ERR hash value is not an integer')
  const after = addInt64(before, increment)
  if (after === undefined) return wouldOverflow
  setField(session, entry, field!, String(after))
  session.database.touched(key!, 'h', 'hincrby')
  return after
}

function hincrbyfloat(session: Session, [, key, field, amount]: readonly string[]): Answer {
  const increment = parseLongDouble(amount!)
  if (increment === undefined) return notFloat
  if (increment === infinite) return new ErrorReply('ERR value is NaN or Infinity')
  const entry = hashForWriting(session, key!)
  if (entry instanceof ErrorReply) return entry
  const before = parseLongDouble(entry.fields.get(field!) ?? '0')
  if (before === undefined) return new ErrorReply('ERR hash value is not a float')
  const after = before === infinite ? infinite : addLongDouble(before, increment)
  if (after === infinite) return wouldBeNaN
  const text = formatLongDouble(after)
  setField(session, entry, field!, text)
  session.database.touched(key!, 'h', 'hincrbyfloat')
  return text
}

export const hashCounterHandlers: Handlers = { hincrby, hincrbyfloat }
