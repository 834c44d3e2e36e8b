/**
 * The network as seen by a machine of a Redis deployment: a replica connects to its primary, a
 * Sentinel to all servers. The owner of the network decides about latency, order and loss; each
 * wire preserves order, as TCP does.
 *
 * Heartbeats that cannot change anything skip the network and are delivered immediately if the
 * network allows it (`Wire.far`, `WireEnd.repeated`): the wire is open, nothing blocks it or is in
 * transit on it, and both machines are running. This leaves out one or two milliseconds of latency
 * and the faults within that time: a heartbeat was either received or never sent. Messages with new
 * content, and all messages that meet a fault, use the network.
 */

import type { InboundLink } from './cluster/bus-link.ts'
import type { Message } from './cluster/bus-message.ts'
import type { RedisConnection } from './connection.ts'
import type { PushReply, Reply } from './resp/reply.ts'

export interface Wires {
  /**
   * Connects to `host:port`, which may be a name. Reports the result to `end`, always after `dial`
   * has returned.
   */
  dial(host: string, port: number, end: WireEnd): Wire
}

/**
 * A connection, as seen by the machine that opened it. Data written before it is open is sent when
 * it opens.
 */
export interface Wire {
  /** Sends bytes as a latin1 string. */
  write(bytes: string): void
  /**
   * Sends an unencoded message if the other end is a simulated machine, which saves encoding and
   * parsing. The replication stream is always bytes, because its offsets count them.
   */
  send?(content: Message | Commands): void
  /** Closes the connection; `end.closed` is not called. */
  close(): void
  /**
   * The other end, if handing over a message directly has the same result as sending it through the
   * network; null otherwise.
   */
  far?(): RedisConnection | InboundLink | null
}

/** Commands of a Sentinel, in order: all commands that it sends on one connection in one turn. */
export interface Commands {
  readonly commands: readonly (readonly string[])[]
}

/** One reply in RESP2. */
export interface ReplyMessage {
  readonly reply: Reply
}

/** A push message to a subscriber, or an answer of a Cluster node. */
export type Repeatable = PushReply | Message

export interface WireEnd {
  /** `local` is the local address of the connection, `host:port`. */
  opened(local: string): void
  received(bytes: string): void
  heard?(content: Message | ReplyMessage): void
  /**
   * Delivers repeated content immediately. Returns false if the content is new or cannot be taken
   * now; it then goes through the network.
   */
  repeated?(content: Repeatable): boolean
  /** The connection failed, or the other side closed it (`end`). No calls follow. */
  closed(why: 'end' | 'ECONNREFUSED' | 'ECONNRESET' | 'ETIMEDOUT' | 'EHOSTUNREACH'): void
}
