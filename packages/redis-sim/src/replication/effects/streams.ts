/**
 * Streams: propagates the generated IDs, the exact result of trimming, and each delivery. Source:
 * t_stream.c of Redis 7.0.
 */

import type { StreamEntry } from '../../keyspace/stream.ts'
import type { ConsumerGroup } from '../../keyspace/stream-groups.ts'
import { lastId, printId, type StreamId } from '../../keyspace/stream-id.ts'
import type { Session } from '../../session.ts'
import type { Rewrite, Rewrites } from './rewrite.ts'

/**
 * Replaces approximate trimming by exact trimming with the same result, because the result of
 * approximate trimming depends on the stream's nodes.
 */
function withExactTrim(session: Session, args: readonly string[], end: number): string[] {
  const words = [...args]
  for (let at = 2; at + 2 < end; at++) {
    const option = args[at]!.toLowerCase()
    if ((option !== 'maxlen' && option !== 'minid') || args[at + 1] !== '~') continue
    const stream = session.database.entries.get(args[1]!) as StreamEntry
    words[at + 1] = '='
    words[at + 2] = option === 'maxlen' ? String(stream.length) : printId(stream.nodes[0]?.master ?? lastId)
  }
  return words
}

/**
 * Index of the ID, which follows the options. Each option has a value, except NOMKSTREAM. A trim
 * option may also have `~` or `=` before its value.
 */
function idPosition(args: readonly string[]): number {
  let at = 2
  for (; at < args.length; at++) {
    const word = args[at]!.toLowerCase()
    if (word === 'maxlen' || word === 'minid') at += args[at + 1] === '~' || args[at + 1] === '=' ? 2 : 1
    else if (word === 'limit') at++
    else if (word !== 'nomkstream') break
  }
  return at
}

const xadd: Rewrite = (session, args, reply) => {
  const idAt = idPosition(args)
  const words = withExactTrim(session, args, idAt)
  if (args[idAt]!.includes('*')) words[idAt] = reply as string
  return [words]
}

/** For commands that propagate each entry while they run: see `recordDelivery`. */
const nothing: Rewrite = () => []

export const streamRewrites: Rewrites = {
  xadd,
  xtrim: (session, args) => [withExactTrim(session, args, args.length + 1)],
  xread: nothing,
  xreadgroup: nothing,
  xclaim: nothing,
  xautoclaim: nothing,
}

/**
 * Propagates the state of a pending entry as a command that reproduces the state. Source:
 * streamPropagateXCLAIM of Redis 7.0.
 */
export function recordDelivery(session: Session, key: string, group: ConsumerGroup, id: StreamId): void {
  const { propagation } = session.server
  if (!propagation.active) return
  const { consumer, deliveredMs, deliveries } = group.pending.get(id)!
  propagation.also(session.database.index, [
    ...['XCLAIM', key, group.name, consumer.name, '0', printId(id), 'TIME', String(deliveredMs)],
    ...['RETRYCOUNT', String(deliveries), 'FORCE', 'JUSTID', 'LASTID', printId(group.lastId)],
  ])
}

/** Propagates the group's position. Called if no delivery propagates the position. */
export function recordPosition(session: Session, key: string, group: ConsumerGroup): void {
  const { propagation } = session.server
  if (!propagation.active) return
  const read = String(group.entriesRead ?? -1)
  const words = ['XGROUP', 'SETID', key, group.name, printId(group.lastId), 'ENTRIESREAD', read]
  propagation.also(session.database.index, words)
}

export function recordConsumer(session: Session, key: string, group: ConsumerGroup, name: string): void {
  session.server.propagation.also(session.database.index, ['XGROUP', 'CREATECONSUMER', key, group.name, name])
}
