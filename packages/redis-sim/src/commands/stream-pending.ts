/**
 * XPENDING: unacknowledged entries, as a summary or one by one. Source: t_stream.c of Redis 7.0.
 */

import type { Answer, Handlers } from '../command.ts'
import { syntaxError } from '../errors.ts'
import type { ConsumerGroup } from '../keyspace/stream-groups.ts'
import { printId } from '../keyspace/stream-id.ts'
import { ErrorReply, nullArray, type Reply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer, typedRead } from './arguments.ts'
import { interval, noGroup } from './stream-arguments.ts'

interface PendingRange {
  readonly from: bigint
  readonly to: bigint
  readonly count: number
  readonly leastIdleMs: number
  readonly consumer: string | undefined
}

function xpending(session: Session, args: readonly string[]): Answer {
  if (args.length !== 3 && (args.length < 6 || args.length > 9)) return syntaxError
  const range = args.length === 3 ? null : parseRange(args)
  if (range instanceof ErrorReply) return range
  const stream = typedRead(session, args[1]!, 'stream')
  if (stream instanceof ErrorReply) return stream
  const group = stream?.groups.get(args[2]!)
  if (group === undefined) return noGroup(args[1]!, args[2]!)
  return range === null ? summary(group) : list(session, group, range)
}

function parseRange(args: readonly string[]): PendingRange | ErrorReply {
  let at = 3
  let leastIdleMs = 0
  if (args[3]!.toLowerCase() === 'idle') {
    const idle = integer(args[4]!)
    if (idle instanceof ErrorReply) return idle
    if (args.length < 8) return syntaxError
    leastIdleMs = Number(idle)
    at = 5
  }
  const count = integer(args[at + 2]!)
  if (count instanceof ErrorReply) return count
  const asked = interval(args[at]!, args[at + 1]!)
  if (asked instanceof ErrorReply) return asked
  return { ...asked, count: Math.max(0, Number(count)), leastIdleMs, consumer: args[at + 3] }
}

function summary(group: ConsumerGroup): Reply {
  const { pending } = group
  if (pending.size === 0) return [0, null, null, nullArray]
  const busy = group.orderedConsumers().filter((consumer) => consumer.pending.size > 0)
  return [
    pending.size,
    printId(pending.first!),
    printId(pending.last!),
    busy.map((consumer) => [consumer.name, String(consumer.pending.size)]),
  ]
}

function list(session: Session, group: ConsumerGroup, range: PendingRange): Reply {
  const { from, to, count, leastIdleMs, consumer } = range
  const pendingList = consumer === undefined ? group.pending : group.consumers.get(consumer)?.pending
  if (pendingList === undefined) return []
  const { nowMs } = session.database.state
  const rows: Reply[] = []
  for (const id of pendingList.idsFrom(from)) {
    if (id > to || rows.length >= count) break
    const pending = pendingList.get(id)!
    const idleMs = nowMs - pending.deliveredMs
    if (leastIdleMs !== 0 && idleMs < leastIdleMs) continue
    rows.push([printId(id), pending.consumer.name, Math.max(0, idleMs), pending.deliveries])
  }
  return rows
}

export const streamPendingHandlers: Handlers = { xpending }
