/**
 * Messages between nodes: the content of Redis 7.0's cluster bus, without its encoding. Real nodes
 * cannot read them.
 */
export type MessageKind = 'ping' | 'pong' | 'fail' | 'auth-req' | 'auth-ack' | 'update' | 'publish' | 'publishshard'

/** The sender's own state, in every message. */
export interface Header {
  readonly sender: string
  /** Id of the sender's primary; empty if the sender is a primary. */
  readonly primary: string
  readonly noFailover: boolean
  readonly currentEpoch: number
  /** A replica sends the epoch of its primary, and likewise the slots of its primary. */
  readonly configEpoch: number
  readonly slots: string
  readonly offset: number
}

/** The sender's view of another node, in pings and pongs. */
export interface Gossip {
  readonly id: string
  readonly failure: 'pfail' | 'fail' | null
  /** Whole seconds, as on the real bus. */
  readonly pongSeconds: number
}

export interface Message extends Header {
  readonly kind: MessageKind
  /** The sender's view of other nodes, in pings and pongs. */
  readonly gossip: readonly Gossip[]
  /** Data of the other message kinds; see the functions that send them. */
  readonly rest: readonly string[]
}

/** True if the header equals the previous one. The gossip section may differ. */
export function repeats(header: Header, before: Header): boolean {
  return (
    header.offset === before.offset &&
    header.currentEpoch === before.currentEpoch &&
    header.configEpoch === before.configEpoch &&
    header.slots === before.slots &&
    header.primary === before.primary &&
    header.noFailover === before.noFailover
  )
}
