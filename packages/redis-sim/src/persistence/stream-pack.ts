/** Converts a stream to JSON and back, including its groups and pending entries. */
import { StreamEntry } from '../keyspace/stream.ts'
import { Consumer, ConsumerGroup } from '../keyspace/stream-groups.ts'
import type { StreamId } from '../keyspace/stream-id.ts'
import type { StreamNode } from '../keyspace/stream-nodes.ts'

type Id = string

export interface StreamPack {
  readonly length: number
  readonly firstId: Id
  readonly lastId: Id
  readonly maxDeletedId: Id
  readonly entriesAdded: number
  readonly nodes: readonly NodePack[]
  readonly groups: readonly GroupPack[]
}

interface NodePack {
  readonly master: Id
  readonly masterFields: readonly string[]
  readonly items: readonly (readonly [Id, readonly string[]])[]
  readonly deleted: number
  readonly last: Id
  readonly bytes: number
}

interface GroupPack {
  readonly name: string
  readonly lastId: Id
  readonly entriesRead: number | null
  readonly consumers: readonly (readonly [name: string, seenMs: number])[]
  readonly pending: readonly (readonly [id: Id, consumer: string, deliveredMs: number, deliveries: number])[]
}

export function packStream(entry: StreamEntry): StreamPack {
  return {
    length: entry.length,
    firstId: String(entry.firstId),
    lastId: String(entry.lastId),
    maxDeletedId: String(entry.maxDeletedId),
    entriesAdded: entry.entriesAdded,
    nodes: entry.nodes.map(packNode),
    groups: [...entry.groups.values()].map(packGroup),
  }
}

export function unpackStream(pack: StreamPack): StreamEntry {
  const entry = new StreamEntry()
  entry.length = pack.length
  entry.firstId = BigInt(pack.firstId)
  entry.lastId = BigInt(pack.lastId)
  entry.maxDeletedId = BigInt(pack.maxDeletedId)
  entry.entriesAdded = pack.entriesAdded
  entry.nodes = pack.nodes.map(unpackNode)
  for (const group of pack.groups) entry.groups.set(group.name, unpackGroup(group))
  return entry
}

function packNode({ master, masterFields, items, deleted, last, bytes }: StreamNode): NodePack {
  const packed = items.map(({ id, fields }) => [String(id), fields] as const)
  return { master: String(master), masterFields, items: packed, deleted, last: String(last), bytes }
}

function unpackNode({ master, masterFields, items, deleted, last, bytes }: NodePack): StreamNode {
  const unpacked = items.map(([id, fields]) => ({ id: BigInt(id), fields }))
  return { master: BigInt(master), masterFields, items: unpacked, deleted, last: BigInt(last), bytes }
}

function packGroup({ name, lastId, entriesRead, consumers, pending }: ConsumerGroup): GroupPack {
  return {
    name,
    lastId: String(lastId),
    entriesRead,
    consumers: [...consumers.values()].map((consumer) => [consumer.name, consumer.seenMs] as const),
    pending: pending.idsFrom(0n).map((id: StreamId) => {
      const { consumer, deliveredMs, deliveries } = pending.get(id)!
      return [String(id), consumer.name, deliveredMs, deliveries] as const
    }),
  }
}

function unpackGroup(pack: GroupPack): ConsumerGroup {
  const group = new ConsumerGroup(pack.name, BigInt(pack.lastId), pack.entriesRead)
  for (const [name, seenMs] of pack.consumers) group.consumers.set(name, new Consumer(name, seenMs))
  for (const [id, consumer, deliveredMs, deliveries] of pack.pending) {
    group.assign(BigInt(id), group.consumers.get(consumer)!, deliveredMs, deliveries)
  }
  return group
}
