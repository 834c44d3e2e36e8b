/** Writes a stream in RDB format. Source: rdb.c and t_stream.c of Redis 7.0. */
import type { StreamEntry } from '../keyspace/stream.ts'
import type { ConsumerGroup, PendingList } from '../keyspace/stream-groups.ts'
import { msOf, type StreamId, seqOf } from '../keyspace/stream-id.ts'
import type { StreamItem, StreamNode } from '../keyspace/stream-nodes.ts'
import { bigEndian, littleEndian } from './bytes.ts'
import { writeListpack } from './listpack.ts'
import { types } from './rdb-types.ts'
import { writeLength, writeString } from './rdb-values.ts'

const rawId = (id: StreamId) => bigEndian(id, 16)
const twoLengths = (id: StreamId) => writeLength(msOf(id)) + writeLength(seqOf(id))
/** Marks that the number of entries read by a group is unknown. */
const unknownCount = 2n ** 64n - 1n
/** Flag: the entry has the same fields as its node's first entry. */
const sameFields = 2n

export function saveStream(entry: StreamEntry): string {
  return [
    types.streamListpacks2,
    writeLength(entry.nodes.length),
    ...entry.nodes.map((node) => writeString(rawId(node.master)) + writeString(saveNode(node))),
    writeLength(entry.length),
    ...[entry.lastId, entry.firstId, entry.maxDeletedId].map(twoLengths),
    writeLength(entry.entriesAdded),
    writeLength(entry.groups.size),
    ...entry.orderedGroups().map(saveGroup),
  ].join('')
}

function saveNode(node: StreamNode): string {
  const head = [BigInt(node.items.length), 0n, BigInt(node.masterFields.length), ...node.masterFields, 0n]
  return writeListpack([...head, ...node.items.flatMap((item) => saveItem(node, item))])
}

function saveItem({ master, masterFields }: StreamNode, { id, fields }: StreamItem): (string | bigint)[] {
  const names = fields.filter((_, at) => at % 2 === 0)
  const same = names.length === masterFields.length && names.every((name, at) => name === masterFields[at])
  const apart = [msOf(id) - msOf(master), seqOf(id) - seqOf(master)].map((value) => BigInt.asIntN(64, value))
  const count = BigInt(names.length)
  if (same) return [sameFields, ...apart, ...fields.filter((_, at) => at % 2 === 1), count + 3n]
  return [0n, ...apart, count, ...fields, 2n * count + 4n]
}

function saveGroup(group: ConsumerGroup): string {
  const consumers = group.orderedConsumers()
  return [
    writeString(group.name),
    twoLengths(group.lastId),
    writeLength(group.entriesRead ?? unknownCount),
    savePending(group.pending, true),
    writeLength(consumers.length),
    ...consumers.map(
      ({ name, seenMs, pending }) => writeString(name) + littleEndian(seenMs, 8) + savePending(pending, false),
    ),
  ].join('')
}

function savePending(pending: PendingList, whole: boolean): string {
  const ids = pending.idsFrom(0n).map((id) => {
    const { deliveredMs, deliveries } = pending.get(id)!
    return rawId(id) + (whole ? littleEndian(deliveredMs, 8) + writeLength(deliveries) : '')
  })
  return writeLength(ids.length) + ids.join('')
}
