/**
 * Streams without groups: XADD, XLEN, XRANGE, XDEL, XTRIM, XSETID. Source: t_stream.c of Redis 7.0.
 */

import type { Answer, Handler, Handlers } from '../command.ts'
import { noSuchKey, syntaxError, wrongArity } from '../errors.ts'
import { StreamEntry } from '../keyspace/stream.ts'
import { lastId, maxPart, msOf, printId, type StreamId, seqOf, streamId } from '../keyspace/stream-id.ts'
import { ErrorReply, nullArray, OK } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer, typed, typedRead } from './arguments.ts'
import { interval, showItem, strictId } from './stream-arguments.ts'
import { type AskedId, parseAddOrTrim } from './stream-trim-options.ts'

const tooSmall = new ErrorReply('ERR The ID specified in XADD is equal or smaller than the target stream top item')

function xadd(session: Session, args: readonly string[]): Answer {
  const options = parseAddOrTrim(session, args, true)
  if (options instanceof ErrorReply) return options
  const fields = args.slice(options.idAt + 1)
  if (fields.length < 2 || fields.length % 2 === 1) return wrongArity('xadd')
  const asked = options.id!
  if (typeof asked === 'object' && 'id' in asked && asked.id === 0n) {
    return new ErrorReply('ERR The ID specified in XADD must be greater than 0-0')
  }
  const { database, server } = session
  const key = args[1]!
  let stream = typed(session, key, 'stream')
  if (stream instanceof ErrorReply) return stream
  if (stream === undefined) {
    if (!options.makesStream) return null
    stream = new StreamEntry()
    database.put(key, stream)
  }
  if (stream.lastId === lastId) {
    return new ErrorReply('ERR The stream has exhausted the last possible ID, unable to add more items')
  }
  const id = chooseId(asked, stream.lastId, BigInt(database.state.nowMs))
  if (id === undefined || id <= stream.lastId) return tooSmall
  const { streamNodeMaxBytes, streamNodeMaxEntries } = server.config
  stream.append(id, fields, { bytes: streamNodeMaxBytes, entries: streamNodeMaxEntries })
  database.touched(key, 't', 'xadd')
  if (options.trim !== null && stream.trim(options.trim) > 0) database.notify('t', 'xtrim', key)
  database.waiters.signal(key)
  return printId(id)
}

function chooseId(asked: AskedId, last: StreamId, nowMs: bigint): StreamId | undefined {
  if (asked === 'next') return nowMs > msOf(last) ? streamId(nowMs, 0n) : last + 1n
  if ('id' in asked) return asked.id
  if (asked.nextOf !== msOf(last)) return streamId(asked.nextOf, 0n)
  return seqOf(last) === maxPart ? undefined : last + 1n
}

function xlen(session: Session, args: readonly string[]): Answer {
  const stream = typedRead(session, args[1]!, 'stream')
  return stream instanceof ErrorReply ? stream : (stream?.length ?? 0)
}

function xrange(reverse: boolean): Handler {
  return (session, args) => {
    const asked = reverse ? interval(args[3]!, args[2]!) : interval(args[2]!, args[3]!)
    if (asked instanceof ErrorReply) return asked
    let count: number | undefined
    for (let at = 4; at < args.length; at += 2) {
      const text = args[at + 1]
      if (args[at]!.toLowerCase() !== 'count' || text === undefined) return syntaxError
      const parsed = integer(text)
      if (parsed instanceof ErrorReply) return parsed
      count = Math.max(0, Number(parsed))
    }
    const stream = typedRead(session, args[1]!, 'stream')
    if (stream === undefined || stream instanceof ErrorReply) return stream ?? []
    if (count === 0) return nullArray
    return stream.range(asked.from, asked.to, count, reverse).map(showItem)
  }
}

function xdel(session: Session, args: readonly string[]): Answer {
  const stream = typed(session, args[1]!, 'stream')
  if (stream === undefined || stream instanceof ErrorReply) return stream ?? 0
  const ids: StreamId[] = []
  for (const text of args.slice(2)) {
    const id = strictId(text)
    if (id instanceof ErrorReply) return id
    ids.push(id)
  }
  let deleted = 0
  let first = false
  for (const id of ids) {
    if (!stream.delete(id)) continue
    deleted++
    if (id === stream.firstId) first = true
    if (id > stream.maxDeletedId) stream.maxDeletedId = id
  }
  if (deleted > 0) {
    if (first || stream.length === 0) stream.updateFirstId()
    session.database.touched(args[1]!, 't', 'xdel')
  }
  return deleted
}

function xtrim(session: Session, args: readonly string[]): Answer {
  const options = parseAddOrTrim(session, args, false)
  if (options instanceof ErrorReply) return options
  const stream = typed(session, args[1]!, 'stream')
  if (stream === undefined || stream instanceof ErrorReply) return stream ?? 0
  const deleted = stream.trim(options.trim!)
  if (deleted > 0) session.database.touched(args[1]!, 't', 'xtrim')
  return deleted
}

function xsetid(session: Session, args: readonly string[]): Answer {
  const id = strictId(args[2]!)
  if (id instanceof ErrorReply) return id
  let added: number | undefined
  let maxDeleted: StreamId = 0n
  for (let at = 3; at < args.length; at += 2) {
    const word = args[at]!.toLowerCase()
    const text = args[at + 1]
    if (text === undefined || (word !== 'entriesadded' && word !== 'maxdeletedid')) return syntaxError
    const parsed = word === 'entriesadded' ? integer(text) : strictId(text)
    if (parsed instanceof ErrorReply) return parsed
    if (word === 'entriesadded') {
      if (parsed < 0) return new ErrorReply('ERR entries_added must be positive')
      added = Number(parsed)
    } else {
      maxDeleted = BigInt(parsed)
      if (id < maxDeleted) {
        return new ErrorReply('ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id')
      }
    }
  }
  const stream = typed(session, args[1]!, 'stream')
  if (stream === undefined || stream instanceof ErrorReply) return stream ?? noSuchKey
  return setLastId(session, args[1]!, stream, id, added, maxDeleted)
}

function setLastId(
  session: Session,
  key: string,
  stream: StreamEntry,
  id: StreamId,
  added: number | undefined,
  maxDeleted: StreamId,
): Answer {
  if (stream.length > 0) {
    if (id < stream.topId) {
      return new ErrorReply('ERR The ID specified in XSETID is smaller than the target stream top item')
    }
    if (added !== undefined && stream.length > added) {
      return new ErrorReply('ERR The entries_added specified in XSETID is smaller than the target stream length')
    }
  }
  stream.lastId = id
  if (added !== undefined) stream.entriesAdded = added
  if (maxDeleted !== 0n) stream.maxDeletedId = maxDeleted
  session.database.state.changes++
  session.database.notify('t', 'xsetid', key)
  return OK
}

export const streamHandlers: Handlers = {
  xadd,
  xlen,
  xrange: xrange(false),
  xrevrange: xrange(true),
  xdel,
  xtrim,
  xsetid,
}
