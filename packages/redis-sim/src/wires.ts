/**
 * What a machine of a Redis deployment has of the network: a replica dials its primary, a Sentinel
 * everybody. The owner of the network decides about latency, order and loss; one wire keeps the
 * order of what it carries, as TCP does.
 *
 * Heartbeats that can change nothing are handed over on the spot, where the network allows it
 * (`Wire.far`, `WireEnd.repeated`): the wire is open, nothing is in its way or under way on it,
 * both machines are up and at work. Left out then is the time on the way, a millisecond or two, and
 * with it that a fault strikes within that time: a heartbeat was heard or was never sent. What is
 * news to anybody, and everything that meets a fault, goes over the network.
 */

import type { InboundLink } from './cluster/bus-link.ts'
import type { Message } from './cluster/bus-message.ts'
import type { RedisConnection } from './connection.ts'
import type { PushReply, Reply } from './resp/reply.ts'

export interface Wires {
  /**
   * Connects to `host:port`, which may be a name. Tells `end` what came of it, never before it
   * returns.
   */
  dial(host: string, port: number, end: WireEnd): Wire
}

/**
 * A connection, as the machine that dialled it holds it. What is written before it opened is sent
 * when it opens.
 */
export interface Wire {
  /** Bytes as a latin1 string. */
  write(bytes: string): void
  /**
   * Sends a message as it is, where a simulated machine is at the other end: no bytes are made that
   * would be parsed again. The replication stream stays bytes, which its offsets count.
   */
  send?(content: Message | Commands): void
  /** Ends it; `end.closed` is not called. */
  close(): void
  /**
   * The other end, where what is handed to it now cannot be told from what the network brings; null
   * where it can.
   */
  far?(): RedisConnection | InboundLink | null
}

/** What a Sentinel asks, in order: all that one turn of its sends on one connection. */
export interface Commands {
  readonly commands: readonly (readonly string[])[]
}

/** One reply, as RESP2 has it. */
export interface ReplyMessage {
  readonly reply: Reply
}

/** What a server pushes to a subscriber, or a node of a Cluster answers. */
export type Repeatable = PushReply | Message

export interface WireEnd {
  /** `local` is the own address on it, `host:port`. */
  opened(local: string): void
  received(bytes: string): void
  heard?(content: Message | ReplyMessage): void
  /**
   * What the other side says again comes on the spot; false: it is news, or cannot be taken now,
   * and goes by the network.
   */
  repeated?(content: Repeatable): boolean
  /** It failed, or the other side ended it (`end`); nothing comes any more. */
  closed(why: 'end' | 'ECONNREFUSED' | 'ECONNRESET' | 'ETIMEDOUT' | 'EHOSTUNREACH'): void
}
