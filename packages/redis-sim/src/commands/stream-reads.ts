/** XREAD and XREADGROUP, blocking or not. Source: t_stream.c and blocked.c of Redis 7.0. */

import { type Answer, Blocking, type Handlers } from '../command.ts'
import { cString, syntaxError } from '../errors.ts'
import type { StreamEntry } from '../keyspace/stream.ts'
import type { Consumer, ConsumerGroup } from '../keyspace/stream-groups.ts'
import { lastId, printId, type StreamId } from '../keyspace/stream-id.ts'
import { recordConsumer, recordDelivery, recordPosition } from '../replication/effects/streams.ts'
import { ErrorReply, MapReply, nullArray, type Reply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer, timeoutMs, typedRead } from './arguments.ts'
import { distanceFromFirst, hasGapsFrom, seeConsumer, showItem, strictId } from './stream-arguments.ts'

interface ReadOptions {
  /** Undefined does not block; 0 blocks without a timeout. */
  blockMs: number | undefined
  /** Maximum number of entries for each stream; 0 means all. */
  count: number
  group: string | undefined
  consumer: string
  noAck: boolean
  keys: readonly string[]
  ids: readonly string[]
}

/** `new` means entries that were not delivered to any consumer of the group. */
type After = StreamId | 'new'

const onlyForGroups = (option: string) =>
  new ErrorReply(`ERR The ${option} option is only supported by XREADGROUP. You called XREAD instead.`)

function read(forGroup: boolean) {
  return (session: Session, args: readonly string[]): Answer => {
    const options = parse(session, args, forGroup)
    if (options instanceof ErrorReply) return options
    const after: After[] = []
    for (const [at, key] of options.keys.entries()) {
      const from = startOf(session, key, options.ids[at]!, options.group)
      if (from instanceof ErrorReply) return from
      after.push(from)
    }
    const found: (readonly [string, Reply])[] = []
    for (const [at, key] of options.keys.entries()) {
      const items = readNow(session, key, after[at]!, options)
      if (items !== undefined) found.push([key, items])
    }
    if (found.length > 0) return show(session, found)
    return options.blockMs === undefined || session.denyBlocking ? nullArray : waitFor(session, options, after)
  }
}

function show(session: Session, found: readonly (readonly [string, Reply])[]): Reply {
  return session.resp === 2 ? found : new MapReply(found.flat())
}

function parse(session: Session, args: readonly string[], forGroup: boolean): ReadOptions | ErrorReply {
  const options: ReadOptions = {
    blockMs: undefined,
    count: 0,
    group: undefined,
    consumer: '',
    noAck: false,
    keys: [],
    ids: [],
  }
  for (let at = 1; at < args.length; at++) {
    const word = args[at]!.toLowerCase()
    const more = args.length - 1 - at
    if (word === 'block' && more > 0) {
      if (session.id === 0) {
        return new ErrorReply(`ERR ${cString(args[0]!)} command is not allowed with BLOCK option from scripts`)
      }
      const limit = timeoutMs(args[++at]!)
      if (limit instanceof ErrorReply) return limit
      options.blockMs = limit
    } else if (word === 'count' && more > 0) {
      const count = integer(args[++at]!)
      if (count instanceof ErrorReply) return count
      options.count = Math.max(0, Number(count))
    } else if (word === 'streams' && more > 0) {
      if (more % 2 === 1) {
        return new ErrorReply(
          "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.",
        )
      }
      options.keys = args.slice(at + 1, at + 1 + more / 2)
      options.ids = args.slice(at + 1 + more / 2)
      break
    } else if (word === 'group' && more >= 2) {
      if (!forGroup) return onlyForGroups('GROUP')
      options.group = args[++at]!
      options.consumer = args[++at]!
    } else if (word === 'noack') {
      if (!forGroup) return onlyForGroups('NOACK')
      options.noAck = true
    } else return syntaxError
  }
  if (options.keys.length === 0) return syntaxError
  if (forGroup && options.group === undefined) return new ErrorReply('ERR Missing GROUP option for XREADGROUP')
  return options
}

function startOf(session: Session, key: string, text: string, group: string | undefined): After | ErrorReply {
  const stream = typedRead(session, key, 'stream')
  if (stream instanceof ErrorReply) return stream
  if (group !== undefined && stream?.groups.get(group) === undefined) {
    return new ErrorReply(
      `NOGROUP No such key '${cString(key)}' or consumer group '${cString(group)}' in XREADGROUP with GROUP option`,
    )
  }
  const id = cString(text)
  if (id === '$') {
    if (group === undefined) return stream?.lastId ?? 0n
    return new ErrorReply(
      'ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The $ ID would just return an empty result set.',
    )
  }
  if (id === '>') {
    if (group !== undefined) return 'new'
    return new ErrorReply(
      'ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.',
    )
  }
  const parsed = strictId(text)
  // Real Redis treats the largest possible ID like `>`.
  return group !== undefined && parsed === lastId ? 'new' : parsed
}

/** Reads the entries that the stream has for the client now; undefined if there are none. */
function readNow(session: Session, key: string, after: After, options: ReadOptions): Reply | undefined {
  const stream = typedRead(session, key, 'stream') as StreamEntry | undefined
  if (stream === undefined) return undefined
  if (options.group === undefined) {
    const from = after as StreamId
    return stream.topId > from ? stream.range(from + 1n, lastId, options.count || undefined).map(showItem) : undefined
  }
  const group = stream.groups.get(options.group)!
  if (after === 'new' && stream.topId <= group.lastId) return undefined
  if (options.noAck && !group.consumers.has(options.consumer)) recordConsumer(session, key, group, options.consumer)
  const consumer = seeConsumer(session.database, key, group, options.consumer)
  session.database.state.changes++
  return after === 'new'
    ? deliverNew(session, key, stream, group, consumer, options.count, options.noAck)
    : deliverAgain(session, stream, consumer, after, options.count)
}

function deliverNew(
  session: Session,
  key: string,
  stream: StreamEntry,
  group: ConsumerGroup,
  consumer: Consumer,
  count: number,
  noAck: boolean,
): Reply {
  const items = stream.range(group.lastId + 1n, lastId, count || undefined)
  for (const { id } of items) {
    if (group.entriesRead !== null && !hasGapsFrom(stream, id)) group.entriesRead++
    else if (stream.entriesAdded > 0) group.entriesRead = distanceFromFirst(stream, id)
    group.lastId = id
    if (noAck) continue
    group.assign(id, consumer, session.database.state.nowMs, 1)
    recordDelivery(session, key, group, id)
  }
  if (noAck) recordPosition(session, key, group)
  return items.map(showItem)
}

/** Delivers the consumer's unacknowledged entries again; deleted entries have no fields. */
function deliverAgain(
  session: Session,
  stream: StreamEntry,
  consumer: Consumer,
  after: StreamId,
  count: number,
): Reply {
  const start = after === lastId ? 0n : after + 1n
  const ids = consumer.pending.idsFrom(start).slice(0, count || undefined)
  return ids.map((id) => {
    const item = stream.find(id)
    if (item === undefined) return [printId(id), nullArray]
    const pending = consumer.pending.get(id)!
    pending.deliveredMs = session.database.state.nowMs
    pending.deliveries++
    return showItem(item)
  })
}

/** Maximum number of entries for a blocked client that gave no COUNT. */
const waitingCount = 1000

function waitFor(session: Session, options: ReadOptions, after: readonly After[]): Blocking {
  const { database } = session
  const waiting = { ...options, count: options.count || waitingCount }
  const serve = (key: string): Reply | undefined => {
    const stream = database.get(key)
    if (stream?.type !== 'stream') {
      return options.group === undefined ? undefined : new ErrorReply('UNBLOCKED the stream key no longer exists')
    }
    if (options.group !== undefined && !stream.groups.has(options.group)) {
      return new ErrorReply('NOGROUP the consumer group this client was blocked on no longer exists')
    }
    const from = after[options.keys.lastIndexOf(key)]!
    const waitsAfter = options.group === undefined ? (from as StreamId) : stream.groups.get(options.group)!.lastId
    if (stream.lastId <= waitsAfter) return undefined
    const items = options.group === undefined ? undefined : readNow(session, key, 'new', waiting)
    return show(session, [[key, items ?? stream.range(waitsAfter + 1n, lastId, waiting.count).map(showItem)]])
  }
  return new Blocking(options.blockMs!, () => nullArray, { database, keys: options.keys, serve })
}

export const streamReadHandlers: Handlers = { xread: read(false), xreadgroup: read(true) }
