/**
 * Parses arguments and looks up keys as Redis's helper functions do. The result is a value, or the
 * error reply of the command.
 */

import { mustBePositive, notInteger, wrongType } from '../errors.ts'
import type { Entry, HashEntry, ListEntry, SetEntry, SortedSetEntry, StringEntry } from '../keyspace/entry.ts'
import type { StreamEntry } from '../keyspace/stream.ts'
import { type Int64, parseInt64 } from '../numbers/int64.ts'
import { formatLongDouble, infinite, parseLongDouble } from '../numbers/long-double.ts'
import { ErrorReply } from '../resp/reply.ts'
import type { Session } from '../session.ts'

interface EntryTypes {
  string: StringEntry
  hash: HashEntry
  list: ListEntry
  set: SetEntry
  zset: SortedSetEntry
  stream: StreamEntry
}

/**
 * For write commands: the entry if it has this type; undefined if the key is missing; WRONGTYPE
 * otherwise.
 */
export function typed<T extends keyof EntryTypes>(
  session: Session,
  key: string,
  type: T,
): EntryTypes[T] | undefined | ErrorReply {
  return expectType(session.database.get(key), type)
}

/** For read commands: like `typed`. */
export function typedRead<T extends keyof EntryTypes>(
  session: Session,
  key: string,
  type: T,
): EntryTypes[T] | undefined | ErrorReply {
  return expectType(session.database.read(key), type)
}

function expectType<T extends keyof EntryTypes>(entry: Entry | undefined, type: T) {
  if (entry === undefined) return undefined
  return entry.type === type ? (entry as EntryTypes[T]) : wrongType
}

export function integer(text: string): Int64 | ErrorReply {
  return parseInt64(text) ?? notInteger
}

const notSmall = new ErrorReply('ERR value is out of range, value must between -2147483648 and 2147483647')

/** A 32-bit integer, like a database number. `error` replaces both usual error texts of Redis. */
export function smallInteger(text: string, error?: ErrorReply): number | ErrorReply {
  const value = parseInt64(text)
  if (value === undefined) return error ?? notInteger
  return value < -2147483648 || value > 2147483647 ? (error ?? notSmall) : Number(value)
}

export function positiveCount(text: string): number | ErrorReply {
  const value = parseInt64(text)
  if (value === undefined) return mustBePositive
  return value < 0 ? mustBePositive : Number(value)
}

/** A number of at least `least`. `error` replaces both usual error texts of Redis. */
export function countFrom(least: number, text: string, error: ErrorReply): number | ErrorReply {
  const value = parseInt64(text)
  return value === undefined || value < least ? error : Number(value)
}

const notFloatTimeout = new ErrorReply('ERR timeout is not a float or out of range')
const negativeTimeout = new ErrorReply('ERR timeout is negative')

/**
 * A timeout in seconds with a fraction, converted to whole milliseconds. An overflow becomes
 * negative, as in C.
 */
export function timeoutSeconds(text: string): number | ErrorReply {
  const value = parseLongDouble(text)
  if (value === undefined) return notFloatTimeout
  if (value === infinite) return negativeTimeout
  const milliseconds = Math.ceil(Number(formatLongDouble(value)) * 1000)
  return milliseconds < 0 || milliseconds >= 2 ** 63 ? negativeTimeout : milliseconds
}

/** A relative timeout in milliseconds. */
export function timeoutMs(text: string): number | ErrorReply {
  const value = parseInt64(text)
  if (value === undefined) return new ErrorReply('ERR timeout is not an integer or out of range')
  if (value < 0) return negativeTimeout
  return Number(value)
}
