/**
 * The network, as a machine of a Redis deployment uses it. A replica connects to its primary, a
 * Sentinel to all servers. The owner of the network decides about latency, order and loss; each
 * wire preserves order, as TCP does.
 *
 * Heartbeats that cannot change anything skip the network and are delivered immediately if the
 * network allows it (`Wire.far`, `WireEnd.repeated`), that is, if the wire is open, nothing blocks
 * it or is in transit on it, and both machines are running. Such a heartbeat lacks the latency of
 * one or two milliseconds. No fault can occur during that time, so the heartbeat was either
 * received or never sent. Messages with new content, and all messages that meet a fault, use the
 * network.
 */

import type { InboundLink } from './cluster/bus-link.ts'
import type { Message } from './cluster/bus-message.ts'
import type { RedisConnection } from './connection.ts'
import type { PushReply, Reply } from './resp/reply.ts'

export interface Wires {
  /**
   * Connects to `host:port`, which may be a name. The result is reported to `end`, always after
   * `dial` has returned.
   */
  dial(host: string, port: number, end: WireEnd): Wire
}

/**
 * A connection, as seen by the machine that opened it. Data written before the connection is
 * established is sent when it is established.
 */
export interface Wire {
  /** Sends bytes as a latin1 string. */
  write(bytes: string): void
  /**
   * Sends an unencoded message, which saves encoding and parsing. Missing if the other end is not a
   * simulated machine. The replication stream is always sent as bytes, because its offsets count
   * bytes.
   */
  send?(content: Message | Commands): void
  /** Closes the connection; `end.closed` is not called. */
  close(): void
  /**
   * The other end, if it may receive a message directly with the same result as through the
   * network; null otherwise.
   */
  far?(): RedisConnection | InboundLink | null
}

/**
 * Commands of a Sentinel, in order: all commands that the Sentinel sends on one connection in one
 * turn.
 */
export interface Commands {
  readonly commands: readonly (readonly string[])[]
}

/** A reply with the types of RESP2. */
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
   * Delivers repeated content immediately. Returns false if the content is new or cannot be
   * received now. The content is then sent through the network.
   */
  repeated?(content: Repeatable): boolean
  /**
   * Called when the connection failed, or when the other side closed it (`end`). No other function
   * is called afterwards.
   */
  closed(why: 'end' | 'ECONNREFUSED' | 'ECONNRESET' | 'ETIMEDOUT' | 'EHOSTUNREACH'): void
}
