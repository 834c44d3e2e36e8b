/** XINFO. Source: t_stream.c of Redis 7.0. */

import type { Answer, Handlers } from '../command.ts'
import { cString, noSuchKey, subcommandSyntax } from '../errors.ts'
import type { StreamEntry } from '../keyspace/stream.ts'
import type { Consumer, ConsumerGroup } from '../keyspace/stream-groups.ts'
import { lastId, printId } from '../keyspace/stream-id.ts'
import { radixTreeNodes } from '../keyspace/stream-nodes.ts'
import { ErrorReply, MapReply, type Reply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer, typedRead } from './arguments.ts'
import { distanceFromFirst, hasGapsFrom, showItem } from './stream-arguments.ts'

function onStream(run: (session: Session, args: readonly string[], stream: StreamEntry) => Answer) {
  return (session: Session, args: readonly string[]): Answer => {
    const stream = typedRead(session, args[2]!, 'stream')
    return stream === undefined || stream instanceof ErrorReply ? (stream ?? noSuchKey) : run(session, args, stream)
  }
}

const stream = onStream((_session, args, entry) => {
  if (args.length === 3) return new MapReply([...head(entry), ...brief(entry)])
  if (args.length !== 4 && args.length !== 6) return subcommandSyntax(args)
  if (args[3]!.toLowerCase() !== 'full') return subcommandSyntax(args)
  let count = 10
  if (args.length === 6) {
    if (args[4]!.toLowerCase() !== 'count') return subcommandSyntax(args)
    const parsed = integer(args[5]!)
    if (parsed instanceof ErrorReply) return parsed
    if (parsed >= 0) count = parsed === 0 ? Number.POSITIVE_INFINITY : Number(parsed)
  }
  const groups = entry.orderedGroups().map((group) => fullGroup(entry, group, count))
  return new MapReply([...head(entry), 'entries', entry.range(0n, lastId, count).map(showItem), 'groups', groups])
})

function head(entry: StreamEntry): Reply[] {
  return [
    ...['length', entry.length, 'radix-tree-keys', entry.nodes.length],
    ...['radix-tree-nodes', radixTreeNodes(entry.nodes), 'last-generated-id', printId(entry.lastId)],
    ...['max-deleted-entry-id', printId(entry.maxDeletedId), 'entries-added', entry.entriesAdded],
    ...['recorded-first-entry-id', printId(entry.firstId)],
  ]
}

function brief(entry: StreamEntry): Reply[] {
  const [first] = entry.range(0n, lastId, 1)
  const [last] = entry.range(0n, lastId, 1, true)
  return [
    ...['groups', entry.groups.size],
    ...['first-entry', first === undefined ? null : showItem(first)],
    ...['last-entry', last === undefined ? null : showItem(last)],
  ]
}

function fullGroup(entry: StreamEntry, group: ConsumerGroup, count: number): Reply {
  const ids = group.pending.idsFrom(0n).slice(0, count)
  return new MapReply([
    ...['name', group.name, 'last-delivered-id', printId(group.lastId)],
    ...['entries-read', group.entriesRead, 'lag', lag(entry, group), 'pel-count', group.pending.size],
    'pending',
    ids.map((id) => {
      const { consumer, deliveredMs, deliveries } = group.pending.get(id)!
      return [printId(id), consumer.name, deliveredMs, deliveries]
    }),
    'consumers',
    group.orderedConsumers().map((consumer) => fullConsumer(consumer, count)),
  ])
}

function fullConsumer({ name, seenMs, pending }: Consumer, count: number): Reply {
  const ids = pending.idsFrom(0n).slice(0, count)
  const rows = ids.map((id) => {
    const { deliveredMs, deliveries } = pending.get(id)!
    return [printId(id), deliveredMs, deliveries]
  })
  return new MapReply(['name', name, 'seen-time', seenMs, 'pel-count', pending.size, 'pending', rows])
}

/** The number of entries that were not delivered to the group yet; null if unknown. */
function lag(entry: StreamEntry, group: ConsumerGroup): number | null {
  if (entry.entriesAdded === 0) return 0
  const known = group.entriesRead !== null && !hasGapsFrom(entry, group.lastId)
  const read = known ? group.entriesRead : distanceFromFirst(entry, group.lastId)
  return read === null ? null : entry.entriesAdded - read
}

const groups = onStream((_session, _args, entry) =>
  entry
    .orderedGroups()
    .map(
      (group) =>
        new MapReply([
          ...['name', group.name, 'consumers', group.consumers.size, 'pending', group.pending.size],
          ...['last-delivered-id', printId(group.lastId), 'entries-read', group.entriesRead, 'lag', lag(entry, group)],
        ]),
    ),
)

const consumers = onStream((session, args, entry) => {
  const group = entry.groups.get(args[3]!)
  if (group === undefined) {
    return new ErrorReply(`NOGROUP No such consumer group '${cString(args[3]!)}' for key name '${cString(args[2]!)}'`)
  }
  const { nowMs } = session.database.state
  return group
    .orderedConsumers()
    .map(
      ({ name, pending, seenMs }) =>
        new MapReply(['name', name, 'pending', pending.size, 'idle', Math.max(0, nowMs - seenMs)]),
    )
})

export const streamInfoHandlers: Handlers = {
  'xinfo|stream': stream,
  'xinfo|groups': groups,
  'xinfo|consumers': consumers,
}
