import os from 'node:os'
import { type OnceEvent, type Reporting, reportingOf, type Telemetry } from './events.ts'
import { defaultPrefix } from './identity.ts'
import type { BegunBy } from './in-doubt.ts'
import { needKnown } from './known-options.ts'
import type { Logger } from './log-events.ts'
import type { DoubtReason } from './outcome.ts'
import type { RedisAt } from './redis-at.ts'
import { shown } from './shown.ts'

/**
 * An effect that may or may not have happened.
 * @example
 * ```ts
 * import type { Doubt, Reconciled } from 'onceproof/once'
 *
 * async function reconcile({ key }: Doubt): Promise<Reconciled> {
 *   const reply = await fetch(`https://payments.example/charges?key=${encodeURIComponent(key)}`)
 *   return reply.ok ? { status: 'applied', result: await reply.json() } : { status: 'unknown' }
 * }
 * ```
 */
export interface Doubt extends BegunBy {
  readonly key: string
  readonly payload: unknown
  readonly producedAt: number
  readonly reason: DoubtReason
  /** The highest fence of the attempts that sent it, or may have sent it. */
  readonly fence: number
}

/**
 * The answer of `reconcile`. There is no "not found": the request may still be in flight.
 * @example
 * ```ts
 * import type { Reconciled } from 'onceproof/once'
 *
 * const answers: readonly Reconciled[] = [
 *   { status: 'applied', result: 'ch_1' },
 *   { status: 'barred' },
 * ]
 * ```
 */
export type Reconciled =
  /** The effect happened, with this result. */
  | { readonly status: 'applied'; readonly result: unknown }
  /**
   * The sink will refuse the original request for ever (cancelled, fenced off, past a deadline that
   * it checks). `highest`: the highest fence that the sink has seen, if it fenced the request off.
   * The next attempt's fence is above it, even if Redis's clock has gone back. At most 2^53 - 2.
   */
  | { readonly status: 'barred'; readonly highest?: number }
  | { readonly status: 'unknown' }

/**
 * The answer of a fenced sink. `applied`: there is an effect. `clear`: there is none, and lower
 * fences are refused from now on. `refused`: the sink has seen the same or a higher fence for the
 * key. An equal fence must be refused too: if Redis lost its data while its clock stood still, two
 * holders can have one fence. With `highest`, the next attempt need not wait until Redis's clock
 * has passed it. At most 2^53 - 2.
 * @example
 * ```ts
 * import type { Raised } from 'onceproof/once'
 *
 * const refused: Raised = { status: 'refused', highest: 1_700_000_000_000_000 }
 * ```
 */
export type Raised =
  | { readonly status: 'applied'; readonly result: unknown }
  | { readonly status: 'clear' }
  | { readonly status: 'refused'; readonly highest?: number }

/**
 * What the sink can do about an effect in doubt. Do not change the kind while records live.
 * `plain`: nothing; with `reconcile`, the sink or a person can be asked. Without it, a doubt stays
 * until it is settled by hand. In that case set `settledByHand` in every process, so that a refusal
 * is returned only once it is on record. `keyed`: remembers keys for at least the retention and
 * twice the clock skew, answers a repeated request like the first one, and never takes a request
 * with another payload for a repetition. `fenced`: raises a fence and returns in the same step
 * whether an effect was applied. Forgets neither.
 * @example
 * ```ts
 * import type { SinkRules } from 'onceproof/once'
 *
 * const sink: SinkRules = { kind: 'plain', reconcile: async () => ({ status: 'unknown' }) }
 * ```
 */
export type SinkRules =
  | {
      readonly kind: 'plain'
      readonly reconcile?: (doubt: Doubt) => Promise<Reconciled>
      readonly settledByHand?: boolean
    }
  | { readonly kind: 'keyed' }
  | { readonly kind: 'fenced'; readonly raise: (key: string, fence: number) => Promise<Raised> }

/**
 * Options of a layer on Redis.
 * @example
 * ```ts
 * import type { OnceOptions } from 'onceproof/once'
 *
 * const options: OnceOptions = {
 *   redis: { host: 'localhost' },
 *   leaseMs: 10_000,
 *   retentionMs: 7 * 86_400_000,
 *   sink: { kind: 'keyed' },
 *   isRefusal: (error) => error instanceof RangeError,
 * }
 * ```
 */
export interface OnceOptions {
  readonly redis: RedisAt
  /**
   * Number of replicas of each primary, including those that are down. An effect on a `plain` sink
   * starts only after this many have acknowledged its begin; if one does not, nothing is performed.
   * Must be given for such a sink. 0: there is one server, which is never replaced. If Sentinel or
   * Cluster knows more, runs return `retry` with `replicas-uncounted`. To add a replica, raise this
   * in every process first.
   */
  readonly replicas?: number
  /**
   * Allows `replicas` to be lower than the real number, and accepts the risk that a failover
   * repeats an effect: a replica without the begin may be elected, and another attempt may perform
   * the effect on the new primary while the old one is under way. Default false.
   */
  readonly allowMinority?: boolean
  /**
   * How long a silent holder keeps a key, in milliseconds. Heartbeats extend it, so an
   * effect may take longer. From 10 to 2147483647 (24.8 days), which is the longest timer of
   * Node.
   */
  readonly leaseMs: number
  /**
   * Age up to which a message may be performed, in milliseconds since it was produced. Records are
   * kept for this time plus twice `maxClockSkewMs` after their last change. An older message is
   * answered from its record or, if that is gone, is in doubt.
   */
  readonly retentionMs: number
  /**
   * Largest difference between the clocks that set produced-at times and Redis's clock, in
   * milliseconds. Default 1000. A larger value causes doubts about more messages produced around a
   * loss of data. If the real skew exceeds it during a loss, an effect can happen twice.
   */
  readonly maxClockSkewMs?: number
  /**
   * Number of buckets of records; each bucket is in one slot of Redis Cluster. Default 1024. Use
   * the same number in every process, and never change it: with another number, the layer finds no
   * records, and after a change back it misses those made in between.
   */
  readonly buckets?: number
  /**
   * Text before the names of all keys of the layer in Redis. Default `once:`. Without braces, and
   * the same in every process, forever, as for `buckets`.
   */
  readonly keyPrefix?: string
  /**
   * Separates the keys of services that share a store: one key of two namespaces has two records.
   * Part of the names in Redis, and of the tables' names in PostgreSQL. At most 30 lower-case
   * letters, digits and underscores, with a letter first. Default: none. The same in every process
   * of a service, forever.
   */
  readonly namespace?: string
  /**
   * Attempts that may fail because of their message: `prepare` throws, the process dies or loses
   * its lease before the effect, or a `keyed` or `fenced` sink does not answer the effect. After
   * that many, runs return `failed`. They are counted in the record, which costs one round trip for
   * each attempt. A silent Redis and replicas that do not acknowledge do not count. Default: no
   * limit.
   */
  readonly maxAttempts?: number
  /**
   * Name of this process in doubts: not empty, at most 64 bytes. Default: the host's name and the
   * process id, as in `worker-1:4711`.
   */
  readonly process?: string
  /** Default: plain, without `reconcile`. */
  readonly sink?: SinkRules
  /**
   * Returns true if a rejection of the effect is definitive: there is no effect, and none will
   * follow. Must be given for a `keyed` or `fenced` sink without `maxAttempts`, and for effects
   * that are rows: their messages would be delivered again forever. Default on a `plain` sink:
   * never.
   */
  readonly isRefusal?: (error: unknown) => boolean
  /**
   * Called synchronously with each transition, so a slow listener delays the layer. Errors of the
   * listener are caught.
   */
  readonly onEvent?: (event: OnceEvent) => void
  /** Logs each transition, as pino does. Called like `onEvent`. */
  readonly logger?: Logger
  /**
   * Metrics and spans: `openTelemetry()` of `onceproof/once/opentelemetry`, which needs the package
   * `@opentelemetry/api`.
   */
  readonly telemetry?: Telemetry
}

/** The options with their defaults, and the times that are derived from them. */
export interface Settings extends Reporting {
  readonly leaseMs: number
  readonly retentionMs: number
  readonly maxClockSkewMs: number
  /** Time to live of a record in every state. */
  readonly ttlMs: number
  readonly buckets: number
  /** The names of all keys in Redis begin with it. */
  readonly prefix: string
  readonly namespace: string
  readonly replicas: number
  readonly allowMinority: boolean
  /** Infinity if attempts are not counted. */
  readonly maxAttempts: number
  /** How long replicas may take to acknowledge a begin. */
  readonly waitMs: number
  /** How long one command may take before its connection is given up. */
  readonly commandMs: number
  /** How long a caller waits for Redis, over several commands and connections. */
  readonly callTimeoutMs: number
  /** The reason that a run returns if the store is silent. */
  readonly unreachable: 'redis-unreachable' | 'postgres-unreachable'
  /** Throws `TypeError` for a key that is well-formed Unicode but that the store cannot keep. */
  readonly needKey: (key: string) => void
  /**
   * When to try again: a live holder is usually done long before its lease ends.
   */
  readonly soonMs: number
  readonly sink: SinkRules
  readonly process: string
  readonly isRefusal: (error: unknown) => boolean
}

/** The values of options that are left out. */
export const defaults = { maxClockSkewMs: 1000, buckets: 1024, keyPrefix: defaultPrefix, namespace: '' }

/** What differs between the stores. */
export interface Store extends Pick<Settings, 'unreachable' | 'needKey'> {
  readonly name: 'Redis' | 'PostgreSQL' | 'rows of PostgreSQL'
  readonly options: readonly string[]
}

/** Options with records in any store. */
export const optionsAnywhere = [
  ...[
    'leaseMs',
    'retentionMs',
    'maxClockSkewMs',
    'maxAttempts',
    'sink',
    'isRefusal',
    'onEvent',
    'logger',
    'telemetry',
    'namespace',
    'process',
  ],
]

const onRedis: Store = {
  name: 'Redis',
  unreachable: 'redis-unreachable',
  needKey: () => {},
  options: [...optionsAnywhere, 'redis', 'replicas', 'allowMinority', 'buckets', 'keyPrefix'],
}

/** A timer of Node with a longer delay fires at once. */
const longestTimerMs = 2 ** 31 - 1

/**
 * Throws `RangeError` for times and numbers that cannot work. Throws `TypeError` for an unknown
 * option, an invalid sink, and an option that is missing although a guarantee depends on it.
 */
export function settingsOf(
  options: Omit<OnceOptions, 'redis'> & { readonly redis?: unknown },
  { name, unreachable, needKey, options: known }: Store = onRedis,
): Settings {
  needKnown(`createOnce on ${name}`, options, known)
  const { leaseMs, retentionMs, sink, isRefusal } = options
  const { maxClockSkewMs = defaults.maxClockSkewMs, buckets = defaults.buckets } = options
  const { replicas = 0, allowMinority = false, maxAttempts } = options
  needInteger('leaseMs', leaseMs, 10, longestTimerMs)
  needInteger('retentionMs', retentionMs, leaseMs)
  needInteger('maxClockSkewMs', maxClockSkewMs, 0)
  needInteger('buckets', buckets, 1)
  needInteger('replicas', replicas, 0)
  if (maxAttempts !== undefined) needInteger('maxAttempts', maxAttempts, 1)
  needInteger('retentionMs and twice maxClockSkewMs', retentionMs + 2 * maxClockSkewMs, leaseMs)
  const { keyPrefix = defaults.keyPrefix, namespace = defaults.namespace } = options
  const prefix = prefixOf(keyPrefix, namespace)
  if (sink !== undefined) needSink(sink)
  needType('function', { isRefusal, onEvent: options.onEvent })
  needReceivers(options)
  needType('boolean', { allowMinority })
  const kind = sink?.kind ?? 'plain'
  if (name === 'Redis' && kind === 'plain' && options.replicas === undefined)
    throw new TypeError('createOnce: replicas is missing: give the number of replicas of each primary, or 0')
  // On a plain sink, each error is a doubt, which a person sees. Others would be asked forever.
  if (kind !== 'plain' && isRefusal === undefined && maxAttempts === undefined) needIsRefusal()
  // Two lost replies should fit into a lease; below 250 ms, a normal delay of a network would count
  // as a loss.
  const commandMs = Math.max(250, Math.min(Math.floor(leaseMs / 3), 2000))
  return {
    leaseMs,
    retentionMs,
    maxClockSkewMs,
    ttlMs: retentionMs + 2 * maxClockSkewMs,
    buckets,
    prefix,
    namespace,
    replicas,
    allowMinority,
    maxAttempts: maxAttempts ?? Number.POSITIVE_INFINITY,
    // A sixth of a usual lease: if replicas take longer, the rest must suffice for the abandon.
    waitMs: Math.floor(commandMs / 2),
    commandMs,
    callTimeoutMs: 2 * commandMs,
    unreachable,
    needKey,
    soonMs: Math.ceil(leaseMs / 4),
    sink: sink ?? { kind: 'plain' },
    process: processName(options.process),
    isRefusal: isRefusal ?? (() => false),
    ...reportingOf(options),
  }
}

/** The sink's final refusals must be known, or their messages are delivered again forever. */
export function needIsRefusal(): never {
  throw new TypeError('createOnce: isRefusal is missing: say which errors are final, or give () => false')
}

/** Throws `TypeError` for a logger or telemetry without its methods. */
function needReceivers({ logger, telemetry }: Pick<OnceOptions, 'logger' | 'telemetry'>): void {
  if (!has(logger, ['debug', 'info', 'warn', 'error']))
    throw new TypeError('logger: not a logger: give pino(), or an object with debug, info, warn and error')
  if (!has(telemetry, ['traced', 'onEvent']))
    throw new TypeError('telemetry: not one: give openTelemetry() of onceproof/once/opentelemetry')
}

/** True if it is undefined, or has these methods. */
function has(given: unknown, methods: readonly string[]): boolean {
  if (given === undefined) return true
  return methods.every((method) => typeof (given as Readonly<Record<string, unknown>> | null)?.[method] === 'function')
}

/** Throws `TypeError` for an option that is given and has another type. */
export function needType(type: 'function' | 'boolean', given: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && typeof value !== type)
      throw new TypeError(`${name}: ${String(value)} (${typeof value}) is not a ${type}`)
}

/** Throws `TypeError` if the prefix or the namespace is not valid. */
export function prefixOf(keyPrefix: unknown, namespace: unknown): string {
  if (namespace !== '') needNamespace(namespace)
  // The first pair of braces in a name decides the slot of Redis Cluster.
  if (typeof keyPrefix !== 'string' || keyPrefix === '' || /[{}\p{Surrogate}]/u.test(keyPrefix))
    throw new TypeError(`keyPrefix: ${shown(keyPrefix)} is not valid: give a text without braces, such as once:`)
  return namespace === '' ? keyPrefix : `${keyPrefix}${namespace}:`
}

/** Throws `TypeError` if it is not valid. */
export function needNamespace(namespace: unknown): void {
  if (typeof namespace === 'string' && /^[a-z][a-z0-9_]{0,29}$/.test(namespace)) return
  throw new TypeError(
    `namespace: ${shown(namespace)} is not valid: give at most 30 of a-z, 0-9 and _, with a letter first`,
  )
}

const longestNameBytes = 64

/** A longer value would make Redis keep the record in twice the memory. */
function processName(given: unknown): string {
  if (given === undefined) return `${os.hostname()}:${process.pid}`.slice(-longestNameBytes)
  if (typeof given === 'string' && /^[\x21-\x7e]+$/.test(given) && given.length <= longestNameBytes) return given
  throw new TypeError(
    `process: ${shown(given)} is not a name: give 1 to ${longestNameBytes} characters of ASCII without spaces`,
  )
}

const sinkOptions = { plain: ['reconcile', 'settledByHand'], keyed: [], fenced: ['raise'] }

/**
 * The kind alone decides whether an effect in doubt may be repeated, so an unknown kind must not be
 * taken for `keyed`.
 */
function needSink(sink: unknown): void {
  if (typeof sink !== 'object' || sink === null)
    throw new TypeError(`sink: ${shown(sink)} is not an object: give one, such as { kind: 'plain' }`)
  const { kind, ...rules } = sink as Readonly<Record<string, unknown>>
  if (kind === 'transactional')
    throw new TypeError(
      "sink: 'transactional' needs a `pool`: its effects are rows of the database that has the records",
    )
  if (kind !== 'plain' && kind !== 'keyed' && kind !== 'fenced')
    throw new TypeError(`sink: ${shown(kind)} is not a kind of sink: give 'plain', 'keyed' or 'fenced'`)
  needKnown('sink', rules, sinkOptions[kind])
  needType('function', { reconcile: rules.reconcile })
  needType('boolean', { settledByHand: rules.settledByHand })
  if (kind === 'fenced' && typeof rules.raise !== 'function')
    throw new TypeError("sink: 'fenced' needs a function `raise` that makes the sink refuse lower fences")
}

/**
 * The highest fence that a sink may report: the next one is the last that Lua and JavaScript
 * represent exactly. A lower bound would refuse the fences of the layer itself once they have
 * passed it, and a sink that has seen one could never be used again for the key.
 */
const highestFence = Number.MAX_SAFE_INTEGER - 1

/**
 * Throws `TypeError` for an invalid highest fence, or one that leaves no room for later ones,
 * because a record would keep it.
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
