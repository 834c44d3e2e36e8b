/** LMOVE, LMPOP and related commands, and their blocking forms. Source: t_list.c of Redis 7.0. */

import { type Answer, Blocking, type Handlers } from '../command.ts'
import { syntaxError } from '../errors.ts'
import { ListEntry } from '../keyspace/entry.ts'
import { ErrorReply, nullArray, type Reply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { countFrom, timeoutSeconds, typed } from './arguments.ts'
import { type End, take } from './lists.ts'

const badKeyCount = new ErrorReply('ERR numkeys should be greater than 0')
const badCount = new ErrorReply('ERR count should be greater than 0')

function readEnd(text: string): End | ErrorReply {
  const word = text.toLowerCase()
  return word === 'left' || word === 'right' ? word : syntaxError
}

/** Undefined if there is nothing to move. */
function move(session: Session, from: string, to: string, take: End, put: End): Reply | undefined {
  const source = typed(session, from, 'list')
  if (source === undefined || source instanceof ErrorReply) return source
  let target = typed(session, to, 'list')
  if (target instanceof ErrorReply) return target
  const element = (take === 'left' ? source.items.shift() : source.items.pop())!
  if (target === undefined) {
    target = new ListEntry()
    session.database.put(to, target)
  }
  if (put === 'left') target.items.unshift(element)
  else target.items.push(element)
  session.database.touched(to, 'l', put === 'left' ? 'lpush' : 'rpush')
  session.database.touched(from, 'l', take === 'left' ? 'lpop' : 'rpop')
  if (source.items.length === 0) session.database.removeEmptied(from)
  return element
}

/** Pops up to `count` elements from the first non-empty list; undefined if all are empty. */
function popFirst(session: Session, keys: readonly string[], end: End, count: number | null): Reply | undefined {
  for (const key of keys) {
    const entry = typed(session, key, 'list')
    if (entry === undefined) continue
    if (entry instanceof ErrorReply) return entry
    const taken = take(session, key, entry, end, count ?? 1)
    return [key, count === null ? taken[0]! : taken]
  }
  return undefined
}

/**
 * Replies immediately if possible; otherwise blocks the client. A key with another type does not
 * unblock the client.
 */
export function orWait(
  session: Session,
  keys: readonly string[],
  timeoutMs: number,
  absent: Reply,
  attempt: (keys: readonly string[]) => Reply | undefined,
  type: 'list' | 'zset',
): Answer {
  const found = attempt(keys)
  if (found !== undefined) return found
  if (session.denyBlocking) return absent
  const { database } = session
  return new Blocking(timeoutMs, () => absent, {
    database,
    keys,
    serve: (key) => (database.get(key)?.type === type ? attempt([key]) : undefined),
  })
}

function lmove(session: Session, [, from, to, taken, put]: readonly string[]): Answer {
  const takeEnd = readEnd(taken!)
  if (takeEnd instanceof ErrorReply) return takeEnd
  const putEnd = readEnd(put!)
  return putEnd instanceof ErrorReply ? putEnd : (move(session, from!, to!, takeEnd, putEnd) ?? null)
}

function blmove(session: Session, [, from, to, taken, put, timeout]: readonly string[]): Answer {
  const takeEnd = readEnd(taken!)
  if (takeEnd instanceof ErrorReply) return takeEnd
  const putEnd = readEnd(put!)
  if (putEnd instanceof ErrorReply) return putEnd
  return moveOrWait(session, from!, to!, takeEnd, putEnd, timeout!)
}

function moveOrWait(session: Session, from: string, to: string, taken: End, put: End, timeout: string): Answer {
  const limit = timeoutSeconds(timeout)
  if (limit instanceof ErrorReply) return limit
  // After a timeout, the reply is a null array. Inside a transaction, which may not block, it is a
  // null.
  const absent = session.denyBlocking ? null : nullArray
  return orWait(session, [from], limit, absent, () => move(session, from, to, taken, put), 'list')
}

function blockingPop(end: End) {
  return (session: Session, args: readonly string[]): Answer => {
    const limit = timeoutSeconds(args.at(-1)!)
    if (limit instanceof ErrorReply) return limit
    return orWait(session, args.slice(1, -1), limit, nullArray, (keys) => popFirst(session, keys, end, null), 'list')
  }
}

interface PopMany {
  readonly keys: readonly string[]
  readonly from: string
  readonly count: number
}

/** Parses `numkeys key … WHERE [COUNT n]` of LMPOP and ZMPOP. */
export function parsePopMany(args: readonly string[], at: number, isWhere: RegExp): PopMany | ErrorReply {
  const numkeys = countFrom(1, args[at]!, badKeyCount)
  if (numkeys instanceof ErrorReply) return numkeys
  const where = at + numkeys + 1
  if (where >= args.length || !isWhere.test(args[where]!)) return syntaxError
  let count: number | undefined
  for (let next = where + 1; next < args.length; next += 2) {
    const text = args[next + 1]
    if (count !== undefined || args[next]!.toLowerCase() !== 'count' || text === undefined) return syntaxError
    const parsed = countFrom(1, text, badCount)
    if (parsed instanceof ErrorReply) return parsed
    count = parsed
  }
  return { keys: args.slice(at + 1, where), from: args[where]!.toLowerCase(), count: count ?? 1 }
}

function lmpop(session: Session, args: readonly string[]): Answer {
  const asked = parsePopMany(args, 1, /^(left|right)$/i)
  if (asked instanceof ErrorReply) return asked
  return popFirst(session, asked.keys, asked.from as End, asked.count) ?? nullArray
}

function blmpop(session: Session, args: readonly string[]): Answer {
  const asked = parsePopMany(args, 2, /^(left|right)$/i)
  if (asked instanceof ErrorReply) return asked
  const limit = timeoutSeconds(args[1]!)
  if (limit instanceof ErrorReply) return limit
  const attempt = (keys: readonly string[]) => popFirst(session, keys, asked.from as End, asked.count)
  return orWait(session, asked.keys, limit, nullArray, attempt, 'list')
}

export const listPopHandlers: Handlers = {
  lmove,
  rpoplpush: (session, args) => move(session, args[1]!, args[2]!, 'right', 'left') ?? null,
  blmove,
  brpoplpush: (session, args) => moveOrWait(session, args[1]!, args[2]!, 'right', 'left', args[3]!),
  blpop: blockingPop('left'),
  brpop: blockingPop('right'),
  lmpop,
  blmpop,
}
