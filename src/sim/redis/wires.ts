/**
 * What a machine of a Redis deployment has of the network: a replica dials its primary, a Sentinel everybody.
 * Whoever owns the network decides about latency, order and loss; bytes of one wire keep their order, as TCP keeps it.
 */
export interface Wires {
  /** Connects to `host:port`, which may be a name. Tells `end` what came of it, never before it returns. */
  dial(host: string, port: number, end: WireEnd): Wire
}

/** A connection, as the machine that dialled it holds it. What is written before it opened is sent when it opens. */
export interface Wire {
  /** Bytes as a latin1 string. */
  write(bytes: string): void
  /** Ends it; `end.closed` is not called. */
  close(): void
}

export interface WireEnd {
  /** `local` is the own address on it, `host:port`. */
  opened(local: string): void
  received(bytes: string): void
  /** It failed, or the other side ended it (`end`); nothing comes any more. */
  closed(why: 'end' | 'ECONNREFUSED' | 'ECONNRESET' | 'ETIMEDOUT' | 'EHOSTUNREACH'): void
}
