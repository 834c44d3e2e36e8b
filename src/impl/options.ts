import type { Redis, RedisOptions } from 'ioredis'

/** An effect that may or may not have happened. */
export interface Doubt {
  readonly key: string
  readonly payload: unknown
  /** The fence of the attempt that sent it, or may have sent it. */
  readonly fence: number
}

/** What asking the sink gave. There is no "not found": the request may still be on its way. */
export type Reconciled =
  /** It happened, with this result. */
  | { readonly status: 'applied'; readonly result: unknown }
  /** The sink will refuse the original request for ever (cancelled, fenced off, past a deadline that it checks). */
  | { readonly status: 'barred' }
  | { readonly status: 'unknown' }

/** What a fenced sink answers: an effect is there; none is, and lower fences are refused from now on; a higher fence is. */
export type Raised =
  | { readonly status: 'applied'; readonly result: unknown }
  | { readonly status: 'clear' }
  | { readonly status: 'refused' }

/**
 * What the sink can do about an effect in doubt. One kind per key: do not change it while records live.
 * `plain`: nothing; with `reconcile`, it or somebody can be asked. Without, what is in doubt stays so.
 * `keyed`: remembers keys for at least the retention and answers a repeated request as it answered the first.
 * `fenced`: raises a fence and tells in the same step whether an effect was applied.
 */
export type SinkRules =
  | { readonly kind: 'plain'; readonly reconcile?: (doubt: Doubt) => Promise<Reconciled> }
  | { readonly kind: 'keyed' }
  | { readonly kind: 'fenced'; readonly raise: (key: string, fence: number) => Promise<Raised> }

export interface OnceOptions {
  /** Where Redis is. A client is duplicated, never used itself: the layer needs a connection with settings of its own. */
  readonly redis: Redis | RedisOptions
  /**
   * How long a holder that has fallen silent keeps a key, in milliseconds. Heartbeats extend it, so that an effect may
   * take longer. At least 10.
   */
  readonly leaseMs: number
  /** How long a record outlives its last change, in milliseconds: longer than any copy of a message may be late. */
  readonly retentionMs: number
  /** Default: plain, without `reconcile`. */
  readonly sink?: SinkRules
  /** True for a rejection of the effect that is definitive: no effect, and none will come of it. Default: never. */
  readonly isRefusal?: (error: unknown) => boolean
}

/** The options, whole, with the times that follow from them. */
export interface Settings {
  readonly leaseMs: number
  /** Time to live of a record in every state; the bound on clock skew will be added here, twice. */
  readonly ttlMs: number
  /** How long one command may take before its connection is given up. */
  readonly commandMs: number
  /** How long a caller waits for Redis, over several commands and connections. */
  readonly patienceMs: number
  /** When asking again is worth it: a holder that lives is usually done long before its lease ends. */
  readonly soonMs: number
  readonly sink: SinkRules
  readonly isRefusal: (error: unknown) => boolean
}

/** Throws `RangeError` for times that cannot work. */
export function settingsOf({ leaseMs, retentionMs, sink, isRefusal }: OnceOptions): Settings {
  if (!Number.isSafeInteger(leaseMs) || leaseMs < 10) throw new RangeError(`leaseMs: ${leaseMs} is no integer from 10`)
  if (!Number.isSafeInteger(retentionMs) || retentionMs < leaseMs)
    throw new RangeError(`retentionMs: ${retentionMs} is no integer from leaseMs (${leaseMs})`)
  // Two lost replies should fit into a lease; below 250 ms an ordinary hiccup of a network would count as a loss.
  const commandMs = Math.max(250, Math.min(Math.floor(leaseMs / 3), 2000))
  return {
    leaseMs,
    ttlMs: retentionMs,
    commandMs,
    patienceMs: 2 * commandMs,
    soonMs: Math.ceil(leaseMs / 4),
    sink: sink ?? { kind: 'plain' },
    isRefusal: isRefusal ?? (() => false),
  }
}
