/**
 * Shared code of the stream commands: IDs, intervals, and entries as replies. Source: t_stream.c of
 * Redis 7.0.
 */

import { cString } from '../errors.ts'
import type { Database } from '../keyspace/database.ts'
import type { StreamEntry } from '../keyspace/stream.ts'
import type { ConsumerGroup } from '../keyspace/stream-groups.ts'
import { Consumer } from '../keyspace/stream-groups.ts'
import { lastId, maxPart, parseId, printId, type StreamId } from '../keyspace/stream-id.ts'
import type { StreamItem } from '../keyspace/stream-nodes.ts'
import { ErrorReply, type Reply } from '../resp/reply.ts'

export const invalidId = new ErrorReply('ERR Invalid stream ID specified as stream command argument')

/** Parses an explicit ID; refuses `-` and `+`. */
export function strictId(text: string, missingSeq = 0n): StreamId | ErrorReply {
  const id = isEnd(text) ? undefined : parseId(text, missingSeq)
  return id ?? invalidId
}

/** Like `strictId`, but accepts `-` for the smallest ID and `+` for the largest. */
export function looseId(text: string, missingSeq = 0n): StreamId | ErrorReply {
  if (!isEnd(text)) return strictId(text, missingSeq)
  return text.startsWith('-') ? 0n : lastId
}

function isEnd(text: string): boolean {
  const shown = cString(text)
  return text.length <= 127 && (shown === '-' || shown === '+')
}

/** `from` and `to` are inclusive, unless they start with `(`. */
export function interval(from: string, to: string): { from: StreamId; to: StreamId } | ErrorReply {
  const start = intervalStart(from)
  if (start instanceof ErrorReply) return start
  const open = isOpen(to)
  const end = open ? strictId(to.slice(1), maxPart) : looseId(to, maxPart)
  if (end instanceof ErrorReply) return end
  if (open && end === 0n) return new ErrorReply('ERR invalid end ID for the interval')
  return { from: start, to: open ? end - 1n : end }
}

export function intervalStart(text: string): StreamId | ErrorReply {
  const open = isOpen(text)
  const start = open ? strictId(text.slice(1)) : looseId(text)
  if (start instanceof ErrorReply) return start
  if (open && start === lastId) return new ErrorReply('ERR invalid start ID for the interval')
  return open ? start + 1n : start
}

function isOpen(text: string): boolean {
  return text.length > 1 && text.startsWith('(')
}

export function showItem({ id, fields }: StreamItem): Reply {
  return [printId(id), fields]
}

export function noGroup(key: string, group: string): ErrorReply {
  return new ErrorReply(`NOGROUP No such key '${cString(key)}' or consumer group '${cString(group)}'`)
}

/**
 * Returns the consumer with that name; creates it if it is missing. Updates the consumer's
 * seen-time.
 */
export function seeConsumer(database: Database, key: string, group: ConsumerGroup, name: string): Consumer {
  const known = group.consumers.get(name)
  if (known !== undefined) {
    known.seenMs = database.state.nowMs
    return known
  }
  return createConsumer(database, key, group, name)
}

export function createConsumer(database: Database, key: string, group: ConsumerGroup, name: string): Consumer {
  const consumer = new Consumer(name, database.state.nowMs)
  group.consumers.set(name, consumer)
  database.state.changes++
  database.notify('t', 'xgroup-createconsumer', key)
  return consumer
}

/** True if an entry after `from` was deleted, so that positions cannot be computed by counting. */
export function hasGapsFrom(stream: StreamEntry, from: StreamId): boolean {
  if (stream.length === 0 || stream.maxDeletedId === 0n) return false
  return stream.firstId <= stream.maxDeletedId && from <= stream.maxDeletedId
}

/** The number of entries ever added up to this ID; null if unknown. */
export function distanceFromFirst(stream: StreamEntry, id: StreamId): number | null {
  if (stream.entriesAdded === 0) return 0
  if (stream.length === 0 && id <= stream.lastId) return stream.entriesAdded
  if (id === stream.lastId) return stream.entriesAdded
  if (id > stream.lastId) return null
  if (stream.maxDeletedId === 0n || stream.maxDeletedId < stream.firstId) {
    if (id < stream.firstId) return stream.entriesAdded - stream.length
    if (id === stream.firstId) return stream.entriesAdded - stream.length + 1
  }
  return null
}
