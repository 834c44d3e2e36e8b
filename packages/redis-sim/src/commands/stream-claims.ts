/**
 * XCLAIM and XAUTOCLAIM: transfer pending entries to another consumer. Source: t_stream.c of Redis
 * 7.0.
 */

import type { Answer, Handlers } from '../command.ts'
import { cString, syntaxError } from '../errors.ts'
import type { StreamEntry } from '../keyspace/stream.ts'
import type { Consumer, ConsumerGroup } from '../keyspace/stream-groups.ts'
import { printId, type StreamId } from '../keyspace/stream-id.ts'
import type { StreamItem } from '../keyspace/stream-nodes.ts'
import { parseInt64 } from '../numbers/int64.ts'
import { recordDelivery, recordPosition } from '../replication/effects/streams.ts'
import { ErrorReply, type Reply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { typedRead } from './arguments.ts'
import { intervalStart, noGroup, seeConsumer, showItem, strictId } from './stream-arguments.ts'

interface ClaimOptions {
  readonly leastIdleMs: number
  readonly ids: readonly StreamId[]
  deliveredMs: number | undefined
  deliveries: number | undefined
  force: boolean
  justIds: boolean
  lastId: StreamId
}

function groupOf(
  stream: StreamEntry | undefined | ErrorReply,
  args: readonly string[],
): { stream: StreamEntry; group: ConsumerGroup } | ErrorReply {
  if (stream instanceof ErrorReply) return stream
  const group = stream?.groups.get(args[2]!)
  return stream === undefined || group === undefined ? noGroup(args[1]!, args[2]!) : { stream, group }
}

function xclaim(session: Session, args: readonly string[]): Answer {
  const found = groupOf(typedRead(session, args[1]!, 'stream'), args)
  if (found instanceof ErrorReply) return found
  const { stream, group } = found
  const { nowMs } = session.database.state
  const options = parseClaim(args, nowMs)
  if (options instanceof ErrorReply) return options
  const moved = options.lastId > group.lastId
  if (moved) group.lastId = options.lastId
  const asked = options.deliveredMs
  const deliveredMs = asked === undefined || asked < 0 || asked > nowMs ? nowMs : asked
  const claim = new Claim(session, args[1]!, group, args[3]!, options.justIds)
  const claimed: Reply[] = []
  const { state } = session.database
  const before = state.changes
  for (const id of options.ids) {
    const item = stream.find(id)
    if (item === undefined) {
      claim.forget(id)
      continue
    }
    const pending = group.pending.get(id)
    if (pending === undefined && !options.force) continue
    if (pending !== undefined && options.leastIdleMs !== 0 && nowMs - pending.deliveredMs < options.leastIdleMs)
      continue
    claimed.push(claim.take(item, deliveredMs, options.deliveries))
  }
  if (moved && state.changes === before) {
    recordPosition(session, args[1]!, group)
    state.changes++
  }
  return claimed
}

function parseClaim(args: readonly string[], nowMs: number): ClaimOptions | ErrorReply {
  const leastIdle = parseInt64(args[4]!)
  if (leastIdle === undefined) return new ErrorReply('ERR Invalid min-idle-time argument for XCLAIM')
  const ids: StreamId[] = []
  let at = 5
  for (; at < args.length; at++) {
    const id = strictId(args[at]!)
    if (id instanceof ErrorReply) break
    ids.push(id)
  }
  const options: ClaimOptions = {
    leastIdleMs: Math.max(0, Number(leastIdle)),
    ids,
    deliveredMs: undefined,
    deliveries: undefined,
    force: false,
    justIds: false,
    lastId: 0n,
  }
  for (; at < args.length; at++) {
    const word = args[at]!.toLowerCase()
    const value = args[at + 1]
    if (word === 'force') options.force = true
    else if (word === 'justid') options.justIds = true
    else if (value !== undefined && /^(idle|time|retrycount)$/.test(word)) {
      const number = parseInt64(value)
      if (number === undefined) return new ErrorReply(`ERR Invalid ${word.toUpperCase()} option argument for XCLAIM`)
      if (word === 'retrycount') options.deliveries = number < 0 ? undefined : Number(number)
      else options.deliveredMs = givenTime(word === 'idle' ? nowMs - Number(number) : Number(number))
      at++
    } else if (value !== undefined && word === 'lastid') {
      const id = strictId(value)
      if (id instanceof ErrorReply) return id
      options.lastId = id
      at++
    } else return new ErrorReply(`ERR Unrecognized XCLAIM option '${cString(args[at]!)}'`)
  }
  return options
}

/** Converts -1, which means that no time was given, to undefined. */
function givenTime(ms: number): number | undefined {
  return ms === -1 ? undefined : ms
}

function xautoclaim(session: Session, args: readonly string[]): Answer {
  const stream = typedRead(session, args[1]!, 'stream')
  const leastIdle = parseInt64(args[4]!)
  if (leastIdle === undefined) return new ErrorReply('ERR Invalid min-idle-time argument for XAUTOCLAIM')
  const start = intervalStart(args[5]!)
  if (start instanceof ErrorReply) return start
  let count = 100
  let justIds = false
  for (let at = 6; at < args.length; at++) {
    const word = args[at]!.toLowerCase()
    if (word === 'count' && at + 1 < args.length) {
      const parsed = parseInt64(args[++at]!)
      if (parsed === undefined || parsed < 1 || parsed > 576460752303423487n)
        return new ErrorReply('ERR COUNT must be > 0')
      count = Number(parsed)
    } else if (word === 'justid') justIds = true
    else return syntaxError
  }
  const found = groupOf(stream, args)
  if (found instanceof ErrorReply) return found
  return claimFrom(session, args, found, start, Math.max(0, Number(leastIdle)), count, justIds)
}

/**
 * Claims entries from `start`. Scans at most ten pending entries for each entry that XAUTOCLAIM may
 * claim, and returns the ID at which the next call continues.
 */
function claimFrom(
  session: Session,
  args: readonly string[],
  { stream, group }: { stream: StreamEntry; group: ConsumerGroup },
  start: StreamId,
  leastIdleMs: number,
  count: number,
  justIds: boolean,
): Reply {
  const { state } = session.database
  const claim = new Claim(session, args[1]!, group, args[3]!, justIds)
  const claimed: Reply[] = []
  const deleted: Reply[] = []
  const ids = group.pending.idsFrom(start)
  let at = 0
  for (; at < ids.length && at < count * 10 && claimed.length + deleted.length < count; at++) {
    const id = ids[at]!
    const item = stream.find(id)
    if (item === undefined) {
      claim.forget(id)
      deleted.push(printId(id))
    } else if (leastIdleMs === 0 || state.nowMs - group.pending.get(id)!.deliveredMs >= leastIdleMs) {
      claimed.push(claim.take(item, state.nowMs, undefined))
    }
  }
  return [printId(ids[at] ?? 0n), claimed, deleted]
}

/** Claims entries for one consumer. The consumer is created when the first entry is claimed. */
class Claim {
  private consumer: Consumer | undefined

  constructor(
    private readonly session: Session,
    private readonly key: string,
    private readonly group: ConsumerGroup,
    private readonly consumerName: string,
    private readonly justIds: boolean,
  ) {}

  /** Removes a deleted entry from the pending list. */
  forget(id: StreamId): void {
    if (this.group.pending.get(id) === undefined) return
    recordDelivery(this.session, this.key, this.group, id)
    this.group.release(id)
    this.session.database.state.changes++
  }

  take(item: StreamItem, deliveredMs: number, deliveries: number | undefined): Reply {
    const { database } = this.session
    this.consumer ??= seeConsumer(database, this.key, this.group, this.consumerName)
    const before = this.group.pending.get(item.id)?.deliveries ?? 1
    // A pending entry created by FORCE begins with one delivery.
    const counted = deliveries ?? (this.justIds ? before : before + 1)
    this.group.assign(item.id, this.consumer, deliveredMs, counted)
    recordDelivery(this.session, this.key, this.group, item.id)
    database.state.changes++
    return this.justIds ? printId(item.id) : showItem(item)
  }
}

export const streamClaimHandlers: Handlers = { xclaim, xautoclaim }
