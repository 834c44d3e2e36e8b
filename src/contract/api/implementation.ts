import type { Hunt } from './canary.ts'
import type { DeadLetterReason, Message, Outcome } from './message.ts'
import type { AcceptedRisk } from './risk.ts'
import type { Sink, SinkKind } from './sink.ts'
import type { Shape, StoreAddresses, StoreKind } from './store.ts'

/**
 * The address of Redis, in the forms that clients take.
 * @example
 * ```ts
 * import { Redis } from 'ioredis'
 * import type { RedisAddress } from 'onceproof'
 *
 * const connect = ({ options }: RedisAddress): Redis =>
 *   new Redis({ ...options, maxRetriesPerRequest: 3 })
 * ```
 */
export interface RedisAddress {
  /**
   * ioredis options: `new Redis(redis.options)`. With Sentinels they have `sentinels` and `name`
   * instead of `host` and `port`.
   */
  readonly options: Record<string, unknown>
  /** `redis://host:port` of the first server, for other clients. */
  readonly url: string
  /**
   * For a Cluster, the nodes to connect to first: `new Cluster(redis.nodes)`. For independent
   * servers, all of them. Otherwise one server.
   */
  readonly nodes: readonly { readonly host: string; readonly port: number }[]
  /**
   * How many replicas each primary was deployed with, including those that are down. Absent: none.
   */
  readonly replicas?: number
  /** How many replicas a layer is to wait for, if the operator accepts fewer than all. */
  readonly waitFor?: number
}

/** What a layer can report about its lock for a key. */
export const lockNews = ['acquired', 'renewed', 'lost', 'released'] as const
/**
 * A report about a lock: it was acquired, renewed, lost or released.
 * @example
 * ```ts
 * import type { LockNews } from 'onceproof'
 *
 * const news: readonly LockNews[] = ['acquired', 'released']
 * ```
 */
export type LockNews = (typeof lockNews)[number]

/**
 * Lets a layer report what it knows about its locks. Stories show it, and no verdict depends on it.
 * @example
 * ```ts
 * import type { LockReports } from 'onceproof'
 *
 * const acquired = (lock: LockReports, key: string): void => lock.acquired(key)
 * ```
 */
export type LockReports = { readonly [news in LockNews]: (key: string) => void }

/**
 * The arguments of `create`, with which one simulated process builds its layer. They include the
 * stores that the layer declares.
 * @example
 * ```ts
 * import type { CreateContext, Handler } from 'onceproof'
 *
 * const create = ({ sink }: CreateContext): Handler => ({
 *   handle: async ({ key, payload }) => ({
 *     status: 'done',
 *     result: await sink.perform({ key, payload }),
 *   }),
 * })
 * ```
 */
export interface CreateContext extends StoreAddresses {
  readonly redis: RedisAddress
  /** Differs between processes, and between the incarnations of one process. */
  readonly instanceId: string
  readonly leaseMs: number
  readonly retentionMs: number
  readonly sink: Sink
  readonly lock: LockReports
}

/**
 * The arguments of `deploy`, with which an operator deploys the layer for the first time.
 * @example
 * ```ts
 * import type { DeployContext } from 'onceproof'
 * import { adopt } from 'onceproof/once'
 *
 * const deploy = async ({ redis }: DeployContext) =>
 *   void (await adopt({ redis: redis.options, since: 0 }))
 * ```
 */
export type DeployContext = Pick<CreateContext, 'redis' | keyof StoreAddresses>

/**
 * A layer in one process, as the broker calls it.
 * @example
 * ```ts
 * import type { Handler } from 'onceproof'
 *
 * const handler: Handler = { handle: async () => ({ status: 'retry', afterMs: 100 }) }
 * ```
 */
export interface Handler {
  /** Handles one delivery; calls overlap. `handle` must decide whether to call `sink.perform`. */
  handle(message: Message): Promise<Outcome>
  close?(): void | Promise<void>
}

/**
 * Mechanisms that a layer may lack. A goal about a mechanism that the layer lacks is `n/a`, and the
 * report gives the reason.
 */
export const mechanisms = ['lease', 'stored-result', 'dead-lettering', 'offline-queue'] as const
/**
 * One of the mechanisms that a layer may lack (`lacks`).
 * @example
 * ```ts
 * import { defineImplementation, type Mechanism } from 'onceproof'
 *
 * const lacks: readonly Mechanism[] = ['stored-result']
 * defineImplementation({
 *   id: 'marker',
 *   lacks,
 *   create: () => ({ handle: async () => ({ status: 'retry' }) }),
 * })
 * ```
 */
export type Mechanism = (typeof mechanisms)[number]

/**
 * Mechanisms that few layers have. A goal about a mechanism that the layer does not declare is
 * `n/a`, and the report gives the reason.
 */
export const rareMechanisms = [
  ...(['command-timeout', 'pipeline', 'resent-wait', 'lock-reports', 'transactions', 'compensation'] as const),
  // The layer makes the server end transactions of idle clients, regardless of the server's
  // settings.
  'transaction-limit',
] as const
/**
 * One of the mechanisms that few layers have (`has`).
 * @example
 * ```ts
 * import type { RareMechanism } from 'onceproof'
 *
 * const has: readonly RareMechanism[] = ['command-timeout', 'pipeline']
 * ```
 */
export type RareMechanism = (typeof rareMechanisms)[number]

/**
 * Kinds of access that are refused by default because their results differ between machines.
 * `fs-read`: to read files outside of the layer's package and of the packages that it can import.
 * `other-hosts`: to look up hosts that the simulation does not have.
 */
export const permissions = ['fs-read', 'other-hosts'] as const
/**
 * One kind of access that simulated processes are refused by default (`allow`).
 * @example
 * ```ts
 * import type { Permission } from 'onceproof'
 *
 * const allow: readonly Permission[] = ['fs-read']
 * ```
 */
export type Permission = (typeof permissions)[number]

/**
 * What each dead-letter reason means; the texts are compared word for word.
 * @example
 * ```ts
 * import type { DeadLetterReasons } from 'onceproof'
 *
 * const reasons: DeadLetterReasons = {
 *   failed: { reason: 'failed', attempts: 5 },
 *   vanished: 'in-doubt',
 * }
 * ```
 */
export type DeadLetterReasons = {
  /**
   * `reason`: the dead-letter reason after `attempts` failed attempts. `retry`: the reason that the
   * layer gives in a `retry` answer if, and only if, it counts the attempt as failed.
   */
  readonly failed?: { readonly reason: DeadLetterReason; readonly attempts: number; readonly retry?: string }
  /** The reason for a message whose key is held by an attempt that ended without an answer. */
  readonly vanished?: DeadLetterReason
}

/**
 * What a layer does with a message without a key. `refuses`: it performs no effect, and throws or
 * answers other than `done`. `performs`: it performs an effect for each delivery, without a
 * guarantee against repeats.
 */
export const keylessPolicies = ['refuses', 'performs'] as const
export type KeylessPolicy = (typeof keylessPolicies)[number]

/**
 * An idempotency layer under test, wrapped for the harness.
 * @example
 * ```ts
 * import type { Implementation } from 'onceproof'
 *
 * const unguarded: Implementation = {
 *   id: 'unguarded',
 *   expect: 'broken',
 *   create: ({ sink }) => ({
 *     handle: async ({ key, payload }) => ({
 *       status: 'done',
 *       result: await sink.perform({ key, payload }),
 *     }),
 *   }),
 * }
 * ```
 */
export interface Implementation {
  readonly id: string
  /** One sentence: what the layer is and what it claims. */
  readonly about?: string
  /**
   * How long the layer may answer `retry` after a crash, in virtual milliseconds (for
   * `bounded-stall`).
   */
  readonly recoveryBoundMs?: number
  /**
   * The time within which one call of `handle` answers, in milliseconds of its process's running
   * time, without the sink's time (for `bounded-stall`). Absent: not checked.
   */
  readonly answersWithinMs?: number
  /**
   * The shortest lease with which the layer can work, in milliseconds. It replaces a shorter lease
   * of a plan.
   */
  readonly minLeaseMs?: number
  /**
   * The layer's consumers take one message at a time, as with a prefetch of 1. Absent: the plan
   * decides.
   */
  readonly serial?: true
  /**
   * The layer's messages come from a topic with partitions, which a consumer group reads. Absent:
   * from a queue.
   */
  readonly broker?: 'partitions'
  /** How the layer treats messages without a key. Absent: it only gets messages with a key. */
  readonly withoutKey?: KeylessPolicy
  /** `broken`: the author expects a violation (patterns of articles, canaries). */
  readonly expect?: 'holds' | 'broken'
  /** The sinks that the layer can use. Absent: `plain` only. */
  readonly sinks?: readonly SinkKind[]
  /** The stores of the layer's records. Absent: Redis. */
  readonly stores?: readonly StoreKind[]
  /**
   * The shapes of Redis that the layer can use. Default: one server, and replicas with Sentinels
   * (both with `new Redis(redis.options)`).
   */
  readonly shapes?: readonly Shape[]
  /**
   * The sinks on which the layer leaves no effect in doubt: it asks the sink until the outcome of
   * the effect is known. `no-needless-park` then accepts no crash, lost reply or lost record as a
   * reason to dead-letter.
   */
  readonly leavesNoDoubtOn?: readonly SinkKind[]
  /**
   * The layer treats the same key with another produced-at time (`producedAt`) as another message,
   * as it does with another payload. `payload-bound` then checks this.
   */
  readonly bindsProducedAt?: true
  /**
   * How far the produced-at time of a message may differ from the store's clock, in milliseconds,
   * before the layer may dead-letter the message because of it. Absent: any difference is a reason.
   */
  readonly maxClockSkewMs?: number
  /**
   * The meanings of the layer's dead-letter reasons, so that scenarios can check them. Absent:
   * reasons are reported but not judged.
   */
  readonly deadLetterReasons?: DeadLetterReasons
  /** The mechanisms that the layer does not have: no run is expected to show them at work. */
  readonly lacks?: readonly Mechanism[]
  /** The rare mechanisms that the layer has: some run must show each at work. */
  readonly has?: readonly RareMechanism[]
  /**
   * Kinds of access that the layer is allowed, although simulated processes are refused them by
   * default. Results list them.
   */
  readonly allow?: readonly Permission[]
  /**
   * Risks that the layer's author accepts, each with a reason. Violations that only these risks
   * explain are counted as accepted; all others are violations.
   */
  readonly accepts?: readonly AcceptedRisk[]
  /**
   * The layer waits for replicas: for `redis.waitFor` of them, or for all. Absent: the harness does
   * not vary the number.
   */
  readonly waitsForReplicas?: boolean
  /**
   * The layer's consumers read clocks that the harness does not control. No fault changes these
   * clocks, and results mention this.
   */
  readonly ownClocks?: true
  /** Only for a canary: how the harness tries to catch it. */
  readonly hunt?: Hunt
  /**
   * The first deployment by an operator. It runs once in a separate process, without faults and to
   * its end, before the consumers start and before the plan's time begins.
   */
  deploy?(context: DeployContext): Promise<void> | void
  create(context: CreateContext): Promise<Handler> | Handler
}

/**
 * Returns its argument. It gives editors the type and checks nothing, so that the loader can report
 * a bad adapter with its file.
 * @example
 * ```ts
 * import { Redis } from 'ioredis'
 * import { defineImplementation } from 'onceproof'
 * export default defineImplementation({
 *   id: 'set-nx',
 *   create({ redis, leaseMs, sink }) {
 *     const client = new Redis(redis.options)
 *     return {
 *       async handle({ key, payload }) {
 *         if ((await client.set(key, 'taken', 'PX', leaseMs, 'NX')) === null)
 *           return { status: 'retry' }
 *         return { status: 'done', result: await sink.perform({ key, payload }) }
 *       },
 *       close: () => client.disconnect(),
 *     }
 *   },
 * })
 * ```
 */
export function defineImplementation(implementation: Implementation): Implementation {
  return implementation
}

/**
 * The layer that a module exports, valid or not: the default export of an ES module, or all that a
 * CommonJS module exports.
 */
export function exportedLayer(exports: { readonly default?: unknown } | undefined): unknown {
  const inCommonJs = typeof (exports as Partial<Implementation> | undefined)?.create === 'function'
  return exports?.default ?? (inCommonJs ? exports : undefined)
}
