/**
 * What nodes tell each other: the content of Redis 7.0's bus, without its encoding. No real node
 * understands it.
 */
export type MessageKind = 'ping' | 'pong' | 'fail' | 'auth-req' | 'auth-ack' | 'update' | 'publish' | 'publishshard'

/** About itself, in every message. */
export interface Header {
  readonly sender: string
  /** Its primary's id; empty for a primary. */
  readonly primary: string
  readonly noFailover: boolean
  readonly currentEpoch: number
  /** Of a replica: its primary's, as its slots. */
  readonly configEpoch: number
  readonly slots: string
  readonly offset: number
}

/** Of another node, in pings and pongs. */
export interface Gossip {
  readonly id: string
  readonly failure: 'pfail' | 'fail' | null
  /** In whole seconds, as on the real bus. */
  readonly pongSeconds: number
}

export interface Message extends Header {
  readonly kind: MessageKind
  /** Of pings and pongs: what the sender knows of others. */
  readonly gossip: readonly Gossip[]
  /** What follows the header of others: see those who write it. */
  readonly rest: readonly string[]
}

/** Says the same as the one before it, but for the nodes that it tells of. */
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
