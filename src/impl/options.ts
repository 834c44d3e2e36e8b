import { type Notify, notifierOf, type OnceEvent } from './events.ts'
import type { DoubtReason } from './outcome.ts'
import type { RedisAt } from './redis-at.ts'

/** An effect that may or may not have happened. */
export interface Doubt {
  readonly key: string
  readonly payload: unknown
  readonly producedAt: number
  readonly reason: DoubtReason
  /** No attempt that sent it, or may have sent it, had a higher fence. */
  readonly fence: number
}

/** What asking the sink gave. There is no "not found": the request may still be on its way. */
export type Reconciled =
  /** It happened, with this result. */
  | { readonly status: 'applied'; readonly result: unknown }
  /**
   * The sink will refuse the original request for ever (cancelled, fenced off, past a deadline that
   * it checks). `highest`: the highest fence that the sink has seen, where it was fenced off: the
   * next attempt's is above it, though Redis's clock may have gone back. At most
   * 9,000,000,000,000,000.
   */
  | { readonly status: 'barred'; readonly highest?: number }
  | { readonly status: 'unknown' }

/**
 * What a fenced sink answers: an effect is there; none is, and lower fences are refused from now
 * on; or the fence is not higher than all that it has seen for the key. It must refuse an equal one
 * too: where Redis lost its data while its clock stood still, two holders can have one fence.
 * `highest`, where the sink tells it, spares waiting until Redis's clock has passed it. At most
 * 9,000,000,000,000,000.
 */
export type Raised =
  | { readonly status: 'applied'; readonly result: unknown }
  | { readonly status: 'clear' }
  | { readonly status: 'refused'; readonly highest?: number }

/**
 * What the sink can do about an effect in doubt. One kind per key: do not change it while records
 * live. `plain`: nothing; with `reconcile`, it or somebody can be asked. Without, what is in doubt
 * stays so, unless somebody settles it later: then every process says `settledByHand`, and a
 * refusal is answered only once it is on record. `keyed`: remembers keys for at least the retention
 * and twice the clock skew, answers a repeated request as it answered the first, and never takes
 * one with another payload for a repetition. `fenced`: raises a fence and tells in the same step
 * whether an effect was applied. Forgets neither.
 */
export type SinkRules =
  | {
      readonly kind: 'plain'
      readonly reconcile?: (doubt: Doubt) => Promise<Reconciled>
      readonly settledByHand?: boolean
    }
  | { readonly kind: 'keyed' }
  | { readonly kind: 'fenced'; readonly raise: (key: string, fence: number) => Promise<Raised> }

export interface OnceOptions {
  readonly redis: RedisAt
  /**
   * How many replicas each primary has: all of them, also those that are down. An effect on a
   * `plain` sink starts only after so many have acknowledged its begin; while one of them does not,
   * nothing is performed. Default 0: one server is behind the address, and nobody ever takes its
   * place. Where Sentinel or Cluster knows more, runs answer `retry` with `replicas-uncounted`. To
   * add a replica, raise it in every process first.
   */
  readonly replicas?: number
  /**
   * Gives up that a failover repeats no effect: fewer replicas than there are will do. One that did
   * not acknowledge a begin may be elected, and perform it again for a client of the new primary
   * while the old one goes on. Default false.
   */
  readonly allowMinority?: boolean
  /**
   * How long a holder that has fallen silent keeps a key, in milliseconds. Heartbeats extend it, so
   * that an effect may take longer. From 10 to 2147483647 (24.8 days): no timer of Node waits
   * longer.
   */
  readonly leaseMs: number
  /**
   * How old a message may be and still be performed, in milliseconds since it was produced. Records
   * are kept for that long after their last change, and twice `maxClockSkewMs`. A message that
   * comes later is answered from its record or, if that is gone, called in doubt.
   */
  readonly retentionMs: number
  /**
   * How far the clocks that set produced-at times and the clock of Redis may be apart, in
   * milliseconds. Default 1000. A larger one costs doubt about messages produced just before and
   * after data was lost; one that is exceeded while data is lost can cost a second effect.
   */
  readonly maxClockSkewMs?: number
  /**
   * Buckets that records are spread over; what shares one shares a slot of Redis Cluster. Default
   * 1024. The same in every process and for ever: under another number no record is found, and
   * going back to a number makes believe that nothing happened in between.
   */
  readonly buckets?: number
  /**
   * Attempts that may fail for a message's own sake: `prepare` throws, its process dies or loses
   * its lease before the effect, or a `keyed` or `fenced` sink does not answer the effect. After
   * them runs answer `failed`. They are counted in the record, which costs a round trip for each
   * attempt. A Redis that is silent and replicas that do not acknowledge do not count. Default: no
   * end.
   */
  readonly maxAttempts?: number
  /** Default: plain, without `reconcile`. */
  readonly sink?: SinkRules
  /**
   * True for a rejection of the effect that is definitive: no effect, and none will come of it.
   * Default: never.
   */
  readonly isRefusal?: (error: unknown) => boolean
  /**
   * Told of each transition, in the turn in which the layer learns of it: what takes long delays
   * the layer. What it throws is contained.
   */
  readonly onEvent?: (event: OnceEvent) => void
}

/** The options, whole, with the times that follow from them. */
export interface Settings {
  readonly leaseMs: number
  readonly retentionMs: number
  readonly maxClockSkewMs: number
  /** Time to live of a record in every state. */
  readonly ttlMs: number
  readonly buckets: number
  readonly replicas: number
  readonly allowMinority: boolean
  /** Infinity where attempts are not counted. */
  readonly maxAttempts: number
  /** How long replicas may take to acknowledge a begin. */
  readonly waitMs: number
  /** How long one command may take before its connection is given up. */
  readonly commandMs: number
  /** How long a caller waits for Redis, over several commands and connections. */
  readonly callTimeoutMs: number
  /** What a run is answered where the store is silent. */
  readonly unreachable: 'redis-unreachable' | 'postgres-unreachable'
  /** Throws `TypeError` for a key that the store cannot keep, though it is well-formed Unicode. */
  readonly needKey: (key: string) => void
  /**
   * When asking again is worth it: a holder that lives is usually done long before its lease ends.
   */
  readonly soonMs: number
  readonly sink: SinkRules
  readonly isRefusal: (error: unknown) => boolean
  readonly notify: Notify
  /** Whether anybody listens. */
  readonly heard: boolean
}

/** What holds where nothing else is said. */
export const defaults = { maxClockSkewMs: 1000, buckets: 1024 }

const onRedis = { unreachable: 'redis-unreachable', needKey: () => {} } as const

/** A timer of Node that is given more fires at once. */
const longestTimerMs = 2 ** 31 - 1

/**
 * Throws `RangeError` for times and numbers that cannot work, and `TypeError` for a sink that is
 * none.
 */
export function settingsOf(
  options: Omit<OnceOptions, 'redis'> & { readonly redis?: unknown },
  { unreachable, needKey }: Pick<Settings, 'unreachable' | 'needKey'> = onRedis,
): Settings {
  const { leaseMs, retentionMs, sink, isRefusal, onEvent } = options
  const { maxClockSkewMs = defaults.maxClockSkewMs, buckets = defaults.buckets } = options
  const { replicas = 0, allowMinority = false, maxAttempts } = options
  needInteger('leaseMs', leaseMs, 10, longestTimerMs)
  needInteger('retentionMs', retentionMs, leaseMs)
  needInteger('maxClockSkewMs', maxClockSkewMs, 0)
  needInteger('buckets', buckets, 1)
  needInteger('replicas', replicas, 0)
  if (maxAttempts !== undefined) needInteger('maxAttempts', maxAttempts, 1)
  needInteger('retentionMs and twice maxClockSkewMs', retentionMs + 2 * maxClockSkewMs, leaseMs)
  if (sink !== undefined) needSink(sink)
  // Two lost replies should fit into a lease; below 250 ms an ordinary hiccup of a network would
  // count as a loss.
  const commandMs = Math.max(250, Math.min(Math.floor(leaseMs / 3), 2000))
  return {
    leaseMs,
    retentionMs,
    maxClockSkewMs,
    ttlMs: retentionMs + 2 * maxClockSkewMs,
    buckets,
    replicas,
    allowMinority,
    maxAttempts: maxAttempts ?? Number.POSITIVE_INFINITY,
    // Of the lease, a sixth: what is left must do for the abandon where they take longer.
    waitMs: Math.floor(commandMs / 2),
    commandMs,
    callTimeoutMs: 2 * commandMs,
    unreachable,
    needKey,
    soonMs: Math.ceil(leaseMs / 4),
    sink: sink ?? { kind: 'plain' },
    isRefusal: isRefusal ?? (() => false),
    notify: notifierOf(onEvent),
    heard: onEvent !== undefined,
  }
}

/**
 * By its kind alone it is decided whether what is in doubt may be repeated: one that nobody knows
 * must not pass for `keyed`.
 */
function needSink({ kind, raise }: { readonly kind: unknown; readonly raise?: unknown }): void {
  if (kind === 'transactional')
    throw new TypeError(
      "sink: 'transactional' needs a `pool`: its effects are rows of the database that has the records",
    )
  if (kind !== 'plain' && kind !== 'keyed' && kind !== 'fenced')
    throw new TypeError(`sink: ${JSON.stringify(kind)} is not a kind of sink: give 'plain', 'keyed' or 'fenced'`)
  if (kind === 'fenced' && typeof raise !== 'function')
    throw new TypeError("sink: 'fenced' needs a function `raise` that makes the sink refuse lower fences")
}

/**
 * The highest fence that a sink may tell. Each later attempt's is at least one more, and neither
 * Lua nor JavaScript counts further than 2^53 one by one: there two holders would have one fence.
 * Seven million million are left above this bound, which a million attempts a second take 83 days
 * to use up; and as times, fences pass it in the year 2255.
 */
const highestFence = 9_000_000_000_000_000

/**
 * Throws `TypeError` for a highest fence that is none, or that leaves no room for later ones: a
 * record would keep it.
 */
export function needFence(by: string, highest: unknown): void {
  if (highest === undefined) return
  const isFence = Number.isSafeInteger(highest) && Number(highest) >= 0
  if (isFence && Number(highest) <= highestFence) return
  const wrong = isFence ? 'leaves no room for later fences' : 'is not a fence'
  throw new TypeError(
    `${by}: highest: ${String(highest)} ${wrong}: give an integer from 0 to ${highestFence}, or remove it`,
  )
}

export function needInteger(name: string, value: unknown, from: number, to = Number.MAX_SAFE_INTEGER): void {
  if (Number.isSafeInteger(value) && Number(value) >= from && Number(value) <= to) return
  const given = typeof value === 'number' ? String(value) : `${String(value)} (${typeof value})`
  throw new RangeError(`${name}: ${given} is not an integer from ${from} to ${to}`)
}
