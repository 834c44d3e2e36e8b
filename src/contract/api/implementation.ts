import type { Hunt } from './canary.ts'
import type { DeadLetterReason, Message, Outcome } from './message.ts'
import type { AcceptedRisk } from './risk.ts'
import type { Sink, SinkKind } from './sink.ts'
import type { Shape, StoreAddresses, StoreKind } from './store.ts'

/** Where Redis is, in the shapes that clients take. */
export interface RedisAddress {
  /**
   * ioredis options: `new Redis(redis.options)`. Where Sentinels tell who the primary is,
   * `sentinels` and `name` in place of `host` and `port`.
   */
  readonly options: Record<string, unknown>
  /** `redis://host:port` of the first server, for other clients. */
  readonly url: string
  /**
   * Of a Cluster, those to start from: `new Cluster(redis.nodes)`. All of several independent
   * servers. One otherwise.
   */
  readonly nodes: readonly { readonly host: string; readonly port: number }[]
  /**
   * How many replicas each primary has, those that are down too, as who deployed them knows. None
   * where absent.
   */
  readonly replicas?: number
  /** How many of them a layer is to wait for, where its operator is content with fewer than all. */
  readonly waitFor?: number
}

/** What a layer can say of its lock for a key. */
export const lockNews = ['acquired', 'renewed', 'lost', 'released'] as const
export type LockNews = (typeof lockNews)[number]

/**
 * Where a layer may say what it knows of its locks: stories show it, and no verdict rests on it.
 */
export type LockReports = { readonly [news in LockNews]: (key: string) => void }

/**
 * What one simulated process is given to build its layer from: the stores that the layer asks for
 * are among it.
 */
export interface CreateContext extends StoreAddresses {
  readonly redis: RedisAddress
  /** Differs between processes, and between incarnations of one. */
  readonly instanceId: string
  readonly leaseMs: number
  readonly retentionMs: number
  readonly sink: Sink
  readonly lock: LockReports
}

/** What an operator is given who deploys the layer for the first time. */
export type DeployContext = Pick<CreateContext, 'redis' | keyof StoreAddresses>

export interface Handler {
  /** Called once per delivery; calls overlap. The layer under test guards `sink.perform`. */
  handle(message: Message): Promise<Outcome>
  close?(): void | Promise<void>
}

/** What a layer may do without; a goal about it is then `n/a`, and the report says why. */
export const mechanisms = ['lease', 'stored-result', 'dead-lettering', 'offline-queue'] as const
export type Mechanism = (typeof mechanisms)[number]

/** What few layers have; without it a goal about it is `n/a`, and the report says why. */
export const rareMechanisms = [
  ...(['command-timeout', 'pipeline', 'resent-wait', 'lock-reports', 'transactions', 'compensation'] as const),
  // It has its server end transactions whose client is silent, whatever the server's settings are.
  'transaction-limit',
] as const
export type RareMechanism = (typeof rareMechanisms)[number]

/**
 * What a layer may ask for that is refused otherwise, since it differs from machine to machine:
 * `fs-read`, to read files outside of its own package and those that it can import; `other-hosts`,
 * to look for hosts that the world does not have.
 */
export const permissions = ['fs-read', 'other-hosts'] as const
export type Permission = (typeof permissions)[number]

/** What reasons to dead-letter claim, word for word. */
export type DeadLetterReasons = {
  /**
   * The reason of a message of which so many attempts have failed. `retry`: the reason of a retry
   * with which an attempt ends only when it is counted for certain.
   */
  readonly failed?: { readonly reason: DeadLetterReason; readonly attempts: number; readonly retry?: string }
  /** The reason of a message whose key is held by an attempt that has ended without an answer. */
  readonly vanished?: DeadLetterReason
}

/**
 * What a layer does with a message without a key. `refuses`: no effect, and an error or an answer
 * other than done. `performs`: an effect for each, without a guarantee against repeats.
 */
export const keylessPolicies = ['refuses', 'performs'] as const
export type KeylessPolicy = (typeof keylessPolicies)[number]

/** An idempotency layer, wrapped for the harness. */
export interface Implementation {
  readonly id: string
  /** One sentence: what this is and what it claims. */
  readonly about?: string
  /** How long it may refuse after a crash, in virtual milliseconds (for `bounded-stall`). */
  readonly recoveryBoundMs?: number
  /**
   * Within how long one call of `handle` answers, in milliseconds of its process's running time,
   * the sink's time not counted (for `bounded-stall`). Without it, nobody asks.
   */
  readonly answersWithinMs?: number
  /**
   * The shortest lease that it can work with, in milliseconds: plans with a shorter one are played
   * with this one.
   */
  readonly minLeaseMs?: number
  /** Its consumers take one message at a time, as with a prefetch of 1. Absent: a plan decides. */
  readonly serial?: true
  /** Its messages come from a topic with partitions, to a consumer group. Absent: from a queue. */
  readonly broker?: 'partitions'
  /** Without it, each message that it is sent has a key. */
  readonly withoutKey?: KeylessPolicy
  /** `broken` says that a violation is what the author expects (patterns of articles, canaries). */
  readonly expect?: 'holds' | 'broken'
  /** Which sinks it can use; without it, `plain` only. */
  readonly sinks?: readonly SinkKind[]
  /** The stores that it keeps its records in; without it, Redis. */
  readonly stores?: readonly StoreKind[]
  /**
   * The shapes of Redis that it can use; without it, one server and one behind Sentinels: `new
   * Redis(redis.options)`.
   */
  readonly shapes?: readonly Shape[]
  /**
   * The sinks on which it leaves nothing in doubt: it asks the sink, or asks it again, until that
   * has settled what became of an effect. `no-needless-park` then takes no crash, no lost reply and
   * no lost record for a reason to dead-letter.
   */
  readonly leavesNoDoubtOn?: readonly SinkKind[]
  /**
   * A key that comes again with another produced-at time (`producedAt`) is another message to it,
   * as one with another payload is. `payload-bound` then holds it to that.
   */
  readonly bindsProducedAt?: true
  /**
   * How far the produced-at time of a message may be off the store's clock, in milliseconds, before
   * it is a reason to dead-letter. Without it, any produced-at time that is off is one.
   */
  readonly maxClockSkewMs?: number
  /**
   * What it claims when it dead-letters, so that scenarios can hold it to that. Without it, reasons
   * are told, and nobody judges them.
   */
  readonly deadLetterReasons?: DeadLetterReasons
  /** The mechanisms that it does without, so that no run can be expected to show them at work. */
  readonly lacks?: readonly Mechanism[]
  /** The rarer ones that it has, so that some run must show them at work. */
  readonly has?: readonly RareMechanism[]
  /**
   * What it asks for that a simulated process is refused otherwise; results say that it was
   * allowed.
   */
  readonly allow?: readonly Permission[]
  /**
   * Risks that its author accepts, each with a reason. Runs that only they explain are counted as
   * accepted; all others are violations.
   */
  readonly accepts?: readonly AcceptedRisk[]
  /**
   * It waits for replicas: for as many as `redis.waitFor` says, or all. Without this, nobody varies
   * the number.
   */
  readonly waitsForReplicas?: boolean
  /**
   * Its consumers read clocks that the harness does not have: no fault puts these wrong, and
   * results say so.
   */
  readonly ownClocks?: true
  /** For a canary: how it is hunted. */
  readonly hunt?: Hunt
  /**
   * What an operator does at first deployment: run once in a process of its own, without faults and
   * to its end, before the consumers start and before the plan's time begins.
   */
  deploy?(context: DeployContext): Promise<void> | void
  create(context: CreateContext): Promise<Handler> | Handler
}

/**
 * Names the type for editors; checks nothing, so that a bad adapter is reported by the loader with
 * its file.
 */
export function defineImplementation(implementation: Implementation): Implementation {
  return implementation
}

/**
 * What a module exports as its layer, wherever it is wrong: an ES module by default, a CommonJS
 * module as all that it exports.
 */
export function exportedLayer(exports: { readonly default?: unknown } | undefined): unknown {
  const inCommonJs = typeof (exports as Partial<Implementation> | undefined)?.create === 'function'
  return exports?.default ?? (inCommonJs ? exports : undefined)
}
