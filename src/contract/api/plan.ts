import type { JsonValue } from './json.ts'

/**
 * Every boundary at which a fault can strike, in the order in which one attempt passes them
 * (docs/how-it-works/design.md 8, crashes). Boundaries of commands and scripts carry the label of
 * the command (`GET`, `EVALSHA acquire`).
 */
export const boundaries = [
  'delivery-received',
  'command-unsent',
  'command-unexecuted',
  'command-executed',
  'reply-received',
  'effect-unsent',
  'effect-unapplied',
  'effect-applied',
  'effect-answered',
  'answered',
  'acknowledged',
] as const
/**
 * One step of an attempt before or after which a fault can strike.
 * @example
 * ```ts
 * import type { Boundary } from 'onceproof'
 *
 * const boundary: Boundary = 'effect-applied'
 * ```
 */
export type Boundary = (typeof boundaries)[number]

/** The boundaries that every command and script passes. */
export const commandBoundaries: readonly Boundary[] = [
  'command-unsent',
  'command-unexecuted',
  'command-executed',
  'reply-received',
]

/**
 * When a planned fault strikes: at a time; when a consumer slot passes a boundary for the nth time;
 * or, with `of`, when any consumer passes the boundary with a matching command for the nth time.
 * @example
 * ```ts
 * import type { Trigger } from 'onceproof'
 *
 * const atSecondReply: Trigger = { at: 'reply-received', consumer: 0, nth: 2 }
 * ```
 */
export type Trigger =
  | { readonly at: 'time'; readonly ms: number }
  | { readonly at: Boundary; readonly consumer: number; readonly nth: number; readonly of?: CommandAim }

/**
 * Identifies a command by label (`SET`, `EVALSHA begin`) and first Redis key, not by its number in
 * the run. So the same fault strikes two versions of a layer, even if one of them sends more
 * commands. The key is unknown at the boundary `reply-received`. `pick` is for drawn faults,
 * because a draw does not know the labels: the aim matches one in `picks` combinations of label and
 * key, by a hash of both.
 * @example
 * ```ts
 * import type { CommandAim } from 'onceproof'
 *
 * const aim: CommandAim = { label: 'SET', key: 'order-1' }
 * ```
 */
export type CommandAim = { readonly label: string; readonly key?: string } | { readonly pick: number }

/** `pick` is an integer from 0 to `picks` - 1. */
export const picks = 6

/**
 * One fault of a plan, as data. `kind` names a file in `src/run/faults/`, which defines the
 * parameters.
 * @example
 * ```ts
 * import type { PlannedFault } from 'onceproof'
 *
 * const fault: PlannedFault = {
 *   kind: 'pause',
 *   when: { at: 'time', ms: 200 },
 *   consumer: 1,
 *   healAfterMs: 3000,
 * }
 * ```
 */
export interface PlannedFault {
  readonly kind: string
  readonly when: Trigger
  /** Milliseconds until the fault heals; 0 heals at once; absent if the fault cannot heal. */
  readonly healAfterMs?: number
  /**
   * Replaces `healAfterMs`, or `extraMs` in a fault that does not heal. The duration is a time
   * limit that the layer has set before the fault strikes, plus `byMs`. `limit` numbers the limits
   * in order of occurrence; 0 is the lease.
   */
  readonly near?: { readonly limit: number; readonly byMs: number }
  readonly [parameter: string]: JsonValue | undefined
}

/** The consumer slot that a fault is aimed at. */
export function slotOf(fault: PlannedFault): number {
  return fault.when.at === 'time' ? Number(fault.consumer ?? 0) : fault.when.consumer
}

/**
 * The index of the message that a fault is aimed at, from 0. If there are fewer messages, callers
 * take the index modulo their number. Default: 0.
 */
export function messageOf(fault: PlannedFault): number {
  return Number(fault.message ?? 0)
}

/**
 * The Redis deployment of a run. All times in virtual milliseconds.
 * @example
 * ```ts
 * import type { RedisPlan } from 'onceproof'
 *
 * const redis: RedisPlan = {
 *   ...{ replicas: 1, sentinels: 3, downAfterMs: 1000, failoverTimeoutMs: 3000 },
 *   ...{ keeps: 'aof-everysec', minReplicasToWrite: 0, fullSyncMs: 500, loadingMs: 100 },
 * }
 * ```
 */
export interface RedisPlan {
  /** The number of primaries of a Cluster. Absent: one primary, without a Cluster. */
  readonly shards?: number
  /**
   * The number of unrelated primaries, as Redlock requires: no replicas, no Sentinels, no Cluster.
   * Absent: none.
   */
  readonly independent?: number
  /** The initial number of replicas of each primary. */
  readonly replicas: number
  /**
   * The last `neverPromoted` replicas have priority 0, so Sentinels never promote them. Absent:
   * none. Not for a Cluster, which ignores priorities.
   */
  readonly neverPromoted?: number
  /**
   * Extra replicas with priority 0, started by the `machine-added` fault. Sentinels and layers do
   * not know about them. Absent: none. Not for a Cluster.
   */
  readonly spares?: number
  /** The number of Sentinels, with a majority as their quorum. 0: there is no failover. */
  readonly sentinels: number
  /**
   * How long a server must be silent before Sentinels consider it down; for a Cluster,
   * `cluster-node-timeout`.
   */
  readonly downAfterMs: number
  readonly failoverTimeoutMs: number
  /**
   * What a crashed server loads from its disk when it restarts: nothing, its last snapshot, or its
   * append-only file.
   */
  readonly keeps: 'nothing' | 'snapshot' | 'aof-everysec' | 'aof-always'
  readonly minReplicasToWrite: number
  /** How many replicas layers are to wait for, if they wait for any. Absent: all of them. */
  readonly waitFor?: number
  /** How long the transfer of a full resync takes. */
  readonly fullSyncMs: number
  /** How long a server loads its data set before it serves clients. */
  readonly loadingMs: number
}

/**
 * The PostgreSQL server of a run whose layer asks for one. All times in virtual milliseconds.
 * @example
 * ```ts
 * import type { PostgresPlan } from 'onceproof'
 *
 * const server: PostgresPlan = { synchronousCommit: false, maxConnections: 100, recoveryMs: 500 }
 * ```
 */
export interface PostgresPlan {
  /**
   * `synchronous_commit`. If off, a commit is answered before it is on disk, and a crash may lose
   * it.
   */
  readonly synchronousCommit: boolean
  /** The setting `max_connections`. */
  readonly maxConnections: number
  /** How long a crashed server replays its log before it accepts clients again. */
  readonly recoveryMs: number
  /**
   * A second server that replaces the first if the first is lost. Synchronous: the standby has a
   * commit before the commit is answered, unless the session lowered `synchronous_commit`.
   * Asynchronous: the standby has a commit up to 600 ms later. Absent: no standby.
   */
  readonly standby?: 'synchronous' | 'asynchronous'
  /**
   * The delay until a synchronous standby has a commit. The commit is answered, and becomes visible
   * to other sessions, only after this delay. Absent: no delay. If the server crashes during the
   * delay, it restarts with the commit, which is then visible before the standby has it.
   */
  readonly standbyLagMs?: number
}

/**
 * A message that the producer publishes. Times are in virtual milliseconds.
 * @example
 * ```ts
 * import type { PlannedMessage } from 'onceproof'
 *
 * const message: PlannedMessage = { key: 'order-1', payload: { cents: 100 }, publishAtMs: 50 }
 * ```
 */
export interface PlannedMessage {
  readonly key: string
  readonly payload: JsonValue
  readonly publishAtMs: number
  /**
   * By how much the produced-at time of the message differs from that of its key; positive means in
   * the future. A key whose messages have different values has several produced-at times. Absent:
   * 0.
   */
  readonly stampOffMs?: number
  /** The message has no key, and `key` is empty. Absent: it has a key. */
  readonly keyless?: true
}

/**
 * Work of the layer's caller in its own process around each request to the sink, inside the code
 * that the layer guards.
 * @example
 * ```ts
 * import type { PlannedWork } from 'onceproof'
 *
 * const work: PlannedWork = { beforeMs: 20, afterMs: 0 }
 * ```
 */
export interface PlannedWork {
  /** The time before the request is sent. */
  readonly beforeMs: number
  /** The time between the answer of the sink and its return to the caller. */
  readonly afterMs: number
}

/**
 * The results that callers of the sink get for an effect instead of its receipt. `nothing` means no
 * value at all, as for an HTTP 204. The others are falsy values, empty values, and a nested and a
 * large one.
 */
export const resultStyles = ['nothing', 'null', 'false', 'zero', 'empty-text', 'empty', 'nested', 'large'] as const
/**
 * The kind of result that callers of the sink get for an effect.
 * @example
 * ```ts
 * import type { ResultStyle } from 'onceproof'
 *
 * const falsy: readonly ResultStyle[] = ['nothing', 'null', 'false', 'zero', 'empty-text']
 * ```
 */
export type ResultStyle = (typeof resultStyles)[number]

/** A broker with partitions: settings of a topic and its consumer group. */
export interface BrokerPlan {
  /** A key always maps to the same partition. */
  readonly partitions: number
  /** The maximum number of messages that a consumer takes from a partition before it commits. */
  readonly batch: number
}

/**
 * Everything drawn before a run: workload, timings, faults. It is JSON-serialisable; all times are
 * in virtual milliseconds.
 * @example
 * ```ts
 * import { fc, type Plan, plansOf } from 'onceproof'
 *
 * const [plan] = fc.sample<Plan>(plansOf({ faults: ['crash'] }), { numRuns: 1, seed: 1 })
 * console.log(plan?.leaseMs, plan?.faults)
 * ```
 */
export interface Plan {
  readonly consumers: number
  readonly messages: readonly PlannedMessage[]
  readonly leaseMs: number
  readonly retentionMs: number
  /**
   * The broker's visibility timeout: it delivers a message again if there is no answer within this
   * time.
   */
  readonly visibilityMs: number
  /** How long the broker waits before it delivers a message again after a `retry` or a throw. */
  readonly redeliveryMs: number
  /**
   * The broker gives up on a message after this number of deliveries. If the layer declares a
   * recovery bound, the broker first waits for twice this bound since the first delivery.
   */
  readonly maxAttempts: number
  /** How long the sink works on one effect. */
  readonly effectMs: number
  /** `sink.perform` rejects with `SinkTimeout` after this time without an answer. */
  readonly effectTimeoutMs: number
  /**
   * The maximum duration of `create`. A supervisor replaces a process that takes longer. Absent: 30
   * s.
   */
  readonly startsWithinMs?: number
  /**
   * Each consumer gets a message only when it is handling none. Absent: deliveries to one consumer
   * overlap.
   */
  readonly serial?: true
  /** Messages are in partitions of a topic. Absent: in one queue for all consumers. */
  readonly broker?: BrokerPlan
  /** The work of the caller around each request. Absent: none. */
  readonly work?: PlannedWork
  /**
   * How long a keyed sink remembers a key after it has applied or refused the first request.
   * Absent: forever.
   */
  readonly sinkRemembersMs?: number
  /** The results that callers of the sink get. Absent: the receipt. */
  readonly results?: ResultStyle
  /** The Redis deployment. Absent: one server that keeps nothing on disk. */
  readonly redis?: RedisPlan
  /** The PostgreSQL server. Absent: PostgreSQL's defaults, and a recovery that takes no time. */
  readonly postgres?: PostgresPlan
  readonly faults: readonly PlannedFault[]
}
