/**
 * Commands on one list. Moves between lists, LMPOP and the blocking commands are in list-pops.ts,
 * LPOS in list-positions.ts.
 */

import type { Answer, Handlers } from '../command.ts'
import { noSuchKey, syntaxError, wrongArity } from '../errors.ts'
import { ListEntry } from '../keyspace/entry.ts'
import { toIndex } from '../numbers/int64.ts'
import { ErrorReply, nullArray, OK, type Reply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer, positiveCount, typed, typedRead } from './arguments.ts'

export type End = 'left' | 'right'

function push(session: Session, args: readonly string[], end: End, onlyExisting: boolean): Answer {
  const key = args[1]!
  let entry = typed(session, key, 'list')
  if (entry instanceof ErrorReply) return entry
  if (entry === undefined) {
    if (onlyExisting) return 0
    entry = new ListEntry()
    session.database.put(key, entry)
  }
  if (end === 'left' && args.length === 3) entry.items.unshift(args[2]!)
  else if (end === 'left') entry.items = args.slice(2).reverse().concat(entry.items)
  else for (let at = 2; at < args.length; at++) entry.items.push(args[at]!)
  session.database.touched(key, 'l', end === 'left' ? 'lpush' : 'rpush')
  return entry.items.length
}

function pop(session: Session, args: readonly string[], end: End): Answer {
  if (args.length > 3) return wrongArity(session.command!.fullName)
  const count = args[2] === undefined ? undefined : positiveCount(args[2])
  if (count instanceof ErrorReply) return count
  const key = args[1]!
  const entry = typed(session, key, 'list')
  if (entry === undefined) return count === undefined ? null : nullArray
  if (entry instanceof ErrorReply) return entry
  if (count === 0) return []
  const taken = take(session, key, entry, end, count ?? 1)
  return count === undefined ? taken[0]! : taken
}

/** Pops `count` elements from `end` of the list and publishes the event. */
export function take(session: Session, key: string, entry: ListEntry, end: End, count: number): string[] {
  const taken =
    end === 'left'
      ? entry.items.splice(0, count)
      : entry.items.splice(Math.max(0, entry.items.length - count)).reverse()
  changed(session, key, entry, end === 'left' ? 'lpop' : 'rpop')
  return taken
}

/** Publishes the event of the change; deletes the key if its list is empty. */
function changed(session: Session, key: string, entry: ListEntry, event: 'lpop' | 'rpop' | 'ltrim' | 'lrem'): void {
  session.database.touched(key, 'l', event)
  if (entry.items.length === 0) session.database.removeEmptied(key)
}

/** Converts two indexes (negative ones count from the end) to a slice; null if it is empty. */
export function sliceOf(from: number, to: number, length: number): [number, number] | null {
  const start = Math.max(0, from < 0 ? length + from : from)
  const end = to < 0 ? length + to : to
  return start > end || start >= length ? null : [start, Math.min(end, length - 1) + 1]
}

function range(args: readonly string[]): [number, number] | ErrorReply {
  const from = integer(args[2]!)
  if (from instanceof ErrorReply) return from
  const to = integer(args[3]!)
  return to instanceof ErrorReply ? to : [toIndex(from), toIndex(to)]
}

function lrange(session: Session, args: readonly string[]): Answer {
  const asked = range(args)
  if (asked instanceof ErrorReply) return asked
  const entry = typedRead(session, args[1]!, 'list')
  if (entry === undefined || entry instanceof ErrorReply) return entry ?? []
  const slice = sliceOf(...asked, entry.items.length)
  return slice === null ? [] : entry.items.slice(...slice)
}

function ltrim(session: Session, args: readonly string[]): Answer {
  const asked = range(args)
  if (asked instanceof ErrorReply) return asked
  const entry = typed(session, args[1]!, 'list')
  if (entry === undefined || entry instanceof ErrorReply) return entry ?? OK
  const slice = sliceOf(...asked, entry.items.length)
  const before = entry.items.length
  entry.items = slice === null ? [] : entry.items.slice(...slice)
  changed(session, args[1]!, entry, 'ltrim')
  // If nothing was trimmed, watchers and subscribers are notified, but the data set did not change.
  if (entry.items.length === before) session.database.state.changes--
  return OK
}

function lrem(session: Session, [, key, count, value]: readonly string[]): Answer {
  const parsed = integer(count!)
  if (parsed instanceof ErrorReply) return parsed
  const entry = typed(session, key!, 'list')
  if (entry === undefined || entry instanceof ErrorReply) return entry ?? 0
  const backwards = parsed < 0
  let left = parsed === 0 ? Infinity : Math.abs(toIndex(parsed))
  const before = entry.items.length
  const keep = (item: string) => item !== value || left-- <= 0
  entry.items = backwards ? entry.items.reverse().filter(keep).reverse() : entry.items.filter(keep)
  const removed = before - entry.items.length
  if (removed > 0) changed(session, key!, entry, 'lrem')
  return removed
}

function lindex(session: Session, args: readonly string[]): Answer {
  const entry = typedRead(session, args[1]!, 'list')
  if (entry === undefined || entry instanceof ErrorReply) return entry ?? null
  const at = integer(args[2]!)
  return at instanceof ErrorReply ? at : (entry.items.at(toIndex(at)) ?? null)
}

function lset(session: Session, [, key, at, value]: readonly string[]): Answer {
  const entry = typed(session, key!, 'list')
  if (entry === undefined || entry instanceof ErrorReply) return entry ?? noSuchKey
  const parsed = integer(at!)
  if (parsed instanceof ErrorReply) return parsed
  const index = toIndex(parsed) < 0 ? entry.items.length + toIndex(parsed) : toIndex(parsed)
  if (!(index >= 0 && index < entry.items.length)) return new ErrorReply('ERR index out of range')
  entry.items[index] = value!
  session.database.touched(key!, 'l', 'lset')
  return OK
}

function linsert(session: Session, [, key, where, pivot, value]: readonly string[]): Answer {
  if (!/^(after|before)$/i.test(where!)) return syntaxError
  const entry = typed(session, key!, 'list')
  if (entry === undefined || entry instanceof ErrorReply) return entry ?? 0
  const at = entry.items.indexOf(pivot!)
  if (at === -1) return -1
  entry.items.splice(where!.toLowerCase() === 'after' ? at + 1 : at, 0, value!)
  session.database.touched(key!, 'l', 'linsert')
  return entry.items.length
}

function llen(session: Session, args: readonly string[]): Reply {
  const entry = typedRead(session, args[1]!, 'list')
  return entry instanceof ErrorReply ? entry : (entry?.items.length ?? 0)
}

export const listHandlers: Handlers = {
  lpush: (session, args) => push(session, args, 'left', false),
  rpush: (session, args) => push(session, args, 'right', false),
  lpushx: (session, args) => push(session, args, 'left', true),
  rpushx: (session, args) => push(session, args, 'right', true),
  lpop: (session, args) => pop(session, args, 'left'),
  rpop: (session, args) => pop(session, args, 'right'),
  llen,
  lrange,
  ltrim,
  lrem,
  lindex,
  lset,
  linsert,
}
