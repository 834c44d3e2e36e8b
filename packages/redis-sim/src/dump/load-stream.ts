/**
 * Reads a stream in RDB format. Throws `BadBytes` if the bytes are not a stream. Source: rdb.c and
 * t_stream.c of Redis 7.0.
 */
import { distanceFromFirst } from '../commands/stream-arguments.ts'
import { StreamEntry } from '../keyspace/stream.ts'
import { Consumer, ConsumerGroup } from '../keyspace/stream-groups.ts'
import { msOf, type StreamId, seqOf, streamId } from '../keyspace/stream-id.ts'
import { appendItem, type StreamNode } from '../keyspace/stream-nodes.ts'
import { BadBytes, type ByteReader, readBigEndian } from './bytes.ts'
import { readListpack } from './listpack.ts'
import { readBigLength, readLength, readString } from './rdb-values.ts'

const deletedFlag = 1
const sameFieldsFlag = 2
const unknownCount = 2n ** 64n - 1n

/**
 * `counted` is true for the format since Redis 7.0, in which a stream stores the number of entries
 * ever added, and a group stores the number of entries that it has read.
 */
export function loadStream(reader: ByteReader, counted: boolean): StreamEntry {
  const entry = new StreamEntry()
  for (let left = readLength(reader); left > 0; left--) {
    const key = readString(reader)
    if (key.length !== 16) throw new BadBytes('an invalid stream ID')
    entry.nodes.push(loadNode(readBigEndian(key), readListpack(readString(reader))))
  }
  entry.length = readLength(reader)
  entry.lastId = readId(reader)
  if (counted) {
    entry.firstId = readId(reader)
    entry.maxDeletedId = readId(reader)
    entry.entriesAdded = readLength(reader)
  } else {
    entry.entriesAdded = entry.length
    entry.updateFirstId()
  }
  if (entry.length > 0 && entry.nodes.length === 0) throw new BadBytes('a stream with the wrong length')
  for (let left = readLength(reader); left > 0; left--) {
    const group = loadGroup(reader, entry, counted)
    if (entry.groups.has(group.name)) throw new BadBytes('a duplicate group')
    entry.groups.set(group.name, group)
  }
  return entry
}

function readId(reader: ByteReader): StreamId {
  const ms = readBigLength(reader)
  return streamId(ms, readBigLength(reader))
}

function readRawId(reader: ByteReader): StreamId {
  return readBigEndian(reader.take(16))
}

function loadNode(master: StreamId, words: readonly string[]): StreamNode {
  let at = 0
  const next = () => {
    const word = words[at++]
    if (word === undefined) throw new BadBytes('a truncated node of a stream')
    return word
  }
  const number = () => {
    const value = Number(next())
    if (!Number.isSafeInteger(value)) throw new BadBytes('an invalid number in a node of a stream')
    return value
  }
  const take = (count: number) => Array.from({ length: count }, next)
  const live = number()
  const deleted = number()
  const masterFields = take(number())
  number()
  const nodes: StreamNode[] = []
  let last = master
  for (let left = live + deleted; left > 0; left--) {
    const flags = number()
    const ms = BigInt.asUintN(64, msOf(master) + BigInt(next()))
    const id = streamId(ms, BigInt.asUintN(64, seqOf(master) + BigInt(next())))
    const same = (flags & sameFieldsFlag) !== 0
    const names = same ? masterFields : []
    const fields = same ? names.flatMap((name) => [name, next()]) : take(2 * number())
    number()
    last = id
    if ((flags & deletedFlag) === 0) appendItem(nodes, { id, fields }, { bytes: 0, entries: 0 })
  }
  const items = nodes.flatMap((node) => node.items)
  if (items.length !== live) throw new BadBytes('a node of a stream with the wrong count')
  // The size is that of the remaining entries; deleted ones do not count.
  const bytes = nodes.reduce((sum, node) => sum + node.bytes, 0)
  return { master, masterFields, items, deleted, last, bytes }
}

function loadGroup(reader: ByteReader, entry: StreamEntry, counted: boolean): ConsumerGroup {
  const name = readString(reader)
  const lastId = readId(reader)
  const read = counted ? readBigLength(reader) : null
  const entriesRead = read === null ? distanceFromFirst(entry, lastId) : read === unknownCount ? null : Number(read)
  const group = new ConsumerGroup(name, lastId, entriesRead)
  const pending = new Map<StreamId, { readonly deliveredMs: number; readonly deliveries: number }>()
  for (let left = readLength(reader); left > 0; left--) {
    const id = readRawId(reader)
    const deliveredMs = Number(reader.signed(8))
    pending.set(id, { deliveredMs, deliveries: readLength(reader) })
  }
  for (let left = readLength(reader); left > 0; left--) {
    const consumer = new Consumer(readString(reader), Number(reader.signed(8)))
    group.consumers.set(consumer.name, consumer)
    for (let waiting = readLength(reader); waiting > 0; waiting--) {
      const id = readRawId(reader)
      const known = pending.get(id)
      if (known === undefined) throw new BadBytes('an entry that is pending for a consumer but not for its group')
      group.assign(id, consumer, known.deliveredMs, known.deliveries)
      pending.delete(id)
    }
  }
  if (pending.size > 0) throw new BadBytes('an entry that is pending for no consumer')
  return group
}
