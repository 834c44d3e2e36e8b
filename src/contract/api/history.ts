import type { DeadLetterReasons, KeylessPolicy, LockNews, Mechanism } from './implementation.ts'
import type { JsonValue } from './json.ts'
import type { Outcome } from './message.ts'
import type { Boundary } from './plan.ts'
import type { Receipt, SinkKind } from './sink.ts'
import type { SourcePosition } from './source-position.ts'

/**
 * Names one incarnation of a consumer by slot and incarnation: `consumer-1`, and `consumer-1.2`
 * after a restart.
 */
export type ProcessName = string

/**
 * Whose commands wait, or are refused, while a fault is in force: `all` for those of every process,
 * `its links` for those of the process or link that the fault struck.
 */
export type Delays = 'all' | 'its links'

/** Work that a worker or a relay took from a queue and performs outside of any delivery. */
export interface Job {
  /** The label of the command that took the job from the queue. */
  readonly by: string
  /**
   * The position of that command among all commands of the run. `seq` does not order commands,
   * because several commands between two events share one `seq`.
   */
  readonly nth: number
  /** The number of events in the history when that command was executed. */
  readonly seq: number
  readonly atUs: number
  /** The Redis keys that the command mentions. */
  readonly redisKeys: readonly string[]
  /**
   * `finished`: the process removed the job from the queue, or marked it as finished. `undone`: the
   * transaction that had taken the job was rolled back. Absent: neither happened. `by` is the label
   * of the command that did so; null if the session ended.
   */
  readonly ended?: {
    readonly how: 'finished' | 'undone'
    readonly by: string | null
    readonly seq: number
    readonly atUs: number
  }
}

/**
 * The facts that checkers need. They are always present, also in runs that are not recorded.
 * @example
 * ```ts
 * import type { Fact } from 'onceproof'
 *
 * const isEffect = ({ type }: Fact): boolean => type === 'effect-applied'
 * ```
 */
export type Fact =
  | {
      readonly type: 'published'
      readonly messageId: string
      readonly key: string
      /** Canonical JSON of the payload. `payload-bound` compares payloads by it. */
      readonly fingerprint: string
      /** The broker itself published a copy (fault `duplicate-delivery`); the id is the same. */
      readonly copy: boolean
      /**
       * By how much the produced-at time of the message differs from that of its key, in
       * milliseconds. Absent: the two are equal.
       */
      readonly producedAtOffMs?: number
    }
  | {
      readonly type: 'delivered'
      readonly deliveryId: number
      readonly messageId: string
      readonly key: string
      readonly fingerprint: string
      /**
       * The number of this delivery among those of the message, from 1; a copy is counted
       * separately.
       */
      readonly attempt: number
      /**
       * The position of the message in its topic; both numbers start at 0. Absent: the broker has
       * no partitions.
       */
      readonly partition?: number
      readonly offset?: number
      readonly process: ProcessName
    }
  /**
   * The handler answered. `receivedUs`: when the handler was called; only if the layer declares a
   * time limit for its answers.
   */
  | {
      readonly type: 'answered'
      readonly deliveryId: number
      readonly process: ProcessName
      readonly outcome: Outcome
      readonly receivedUs?: number
    }
  /** The handler threw or rejected; the broker treats it as `retry`. */
  | {
      readonly type: 'threw'
      readonly deliveryId: number
      readonly process: ProcessName
      readonly error: string
      readonly receivedUs?: number
    }
  /** The broker's visibility timeout passed before an answer reached it. */
  | { readonly type: 'delivery-timed-out'; readonly deliveryId: number }
  | { readonly type: 'acknowledgement-lost'; readonly deliveryId: number }
  /**
   * The broker will not deliver the message again. `given-up`: the broker gave up after the planned
   * number of deliveries (`Plan.maxAttempts`). `passed-over`: a consumer was still working on the
   * message, and the broker committed a later offset.
   */
  | {
      readonly type: 'settled'
      readonly messageId: string
      readonly as: 'done' | 'accepted' | 'refused' | 'dead-lettered' | 'given-up' | 'passed-over'
      readonly reason?: string
    }
  /** `sink.perform` was called. From now on, a request may leave the process. */
  | {
      readonly type: 'effect-sent'
      readonly requestId: number
      /** The delivery being handled, if the process had exactly one for the key; otherwise null. */
      readonly deliveryId: number | null
      readonly process: ProcessName
      readonly key: string
      readonly fingerprint: string
      readonly fence?: number
      /**
       * The last command of the delivery that sent the request, if the delivery still waits for the
       * reply. Only in recorded runs.
       */
      readonly unanswered?: { readonly args: readonly string[]; readonly forUs: number }
      /**
       * The job that sent the request, if no delivery is known to have sent it; absent in live
       * runs.
       */
      readonly job?: Job
      /** The layer's line that called the sink. Only in recorded runs that ask for it. */
      readonly sentFrom?: SourcePosition
    }
  /** The sink has applied the effect and recorded it in its ledger, on which verdicts are based. */
  | {
      readonly type: 'effect-applied'
      readonly requestId: number
      readonly process: ProcessName
      readonly key: string
      readonly fingerprint: string
      readonly receipt: Receipt
      /**
       * The value that the caller gets instead of the receipt; without `value`, the caller gets
       * `undefined`. Absent: the caller gets the receipt.
       */
      readonly gives?: { readonly value?: JsonValue }
      readonly fence?: number
      /**
       * A keyed sink had applied or refused a request for the key before, and forgot the key after
       * this time.
       */
      readonly forgottenAfterMs?: number
    }
  /** A `keyed` sink returned the first receipt again. */
  | {
      readonly type: 'effect-deduplicated'
      readonly requestId: number
      readonly key: string
      readonly effectId: string
    }
  /**
   * The sink refused the request for good (`reason: 'refused'`), because of a higher fence
   * (`'fence'`), or because the reference of the request had been cancelled before (`'cancelled'`).
   */
  | {
      readonly type: 'effect-refused'
      readonly requestId: number
      readonly key: string
      readonly reason: 'refused' | 'fence' | 'cancelled'
      /** As in `effect-applied`. */
      readonly forgottenAfterMs?: number
    }
  /**
   * A `cancellable` sink cancelled a reference. `effects`: ids of the effects that it undid; empty
   * if there were none.
   */
  | {
      readonly type: 'effect-cancelled'
      readonly process: ProcessName
      readonly key: string
      readonly reference: string
      readonly effects: readonly string[]
    }
  /** The caller of `perform` got this answer. `error` leaves the effect in doubt. */
  | {
      readonly type: 'effect-answered'
      readonly requestId: number
      readonly process: ProcessName
      readonly answer: 'receipt' | 'refused' | 'error'
      readonly error?: string
    }
  | { readonly type: 'process-started'; readonly process: ProcessName }
  /**
   * `died`: an uncaught exception, an unhandled rejection or a throw in `nextTick`. `crashed`: a
   * fault killed it.
   */
  | {
      readonly type: 'process-ended'
      readonly process: ProcessName
      readonly how: 'crashed' | 'died' | 'closed'
      readonly error?: string
    }
  | { readonly type: 'process-paused'; readonly process: ProcessName }
  | { readonly type: 'process-resumed'; readonly process: ProcessName }
  | {
      readonly type: 'fault-struck'
      readonly fault: string
      /** Index in the plan's list of faults. */
      readonly index: number
      /** A sentence about the fault for stories: "consumer-1 is killed after its SET executed". */
      readonly sentence: string
      readonly process?: ProcessName
      /** The server of the Redis deployment that the fault struck, if it struck a server. */
      readonly node?: string
      readonly boundary?: Boundary
    }
  | { readonly type: 'fault-healed'; readonly fault: string; readonly index: number; readonly sentence: string }
  /** A report of a layer about its lock (`CreateContext.lock`). No verdict depends on it. */
  | { readonly type: 'lock'; readonly process: ProcessName; readonly key: string; readonly what: LockNews }
  /**
   * A command was executed, and its reply did not reach the client because of a reset, a partition
   * or a crash.
   */
  | { readonly type: 'reply-lost'; readonly process: ProcessName; readonly command: string }
  /** A command left a process and was never executed. */
  | { readonly type: 'request-lost'; readonly process: ProcessName; readonly command: string }
  /**
   * A command was executed late, twice or never, which its reply does not show. `forUs` is the
   * delay.
   * - `held-back`: a command on a new connection, whose process had received no reply for this
   *   long.
   * - `given-up`: executed this long after its client closed the connection; the client was still
   *   running.
   * - `outlived`: as `given-up`, but the process has ended since, or its end closed the connection.
   * - `sent-again`: executed a second time this long after the first, on a connection that had
   *   executed nothing else.
   * - `torn`: never executed, although commands that the process sent together with it this long
   *   ago were executed.
   */
  | {
      readonly type: 'command-strayed'
      readonly process: ProcessName
      readonly command: string
      readonly how: 'held-back' | 'given-up' | 'outlived' | 'sent-again' | 'torn'
      readonly forUs: number
    }
  /** Records were lost, and not by commands of the layer. */
  | {
      readonly type: 'data-lost'
      readonly node: string
      /**
       * `failover`: a replica that did not have the records was promoted. `split-brain`: the
       * records were written to a primary that had already been replaced.
       */
      readonly cause: 'restart' | 'flush' | 'eviction' | 'failover' | 'split-brain' | 'expiry'
      /** The names of the lost keys in Redis, if known. */
      readonly redisKeys?: readonly string[]
      /**
       * The idempotency keys whose effects were rows of this database and were lost with their
       * commits.
       */
      readonly effects?: readonly string[]
      /** At least one of these writes had been acknowledged to a client. */
      readonly acknowledged?: boolean
    }
  /** A deployment changed: a server was promoted, resynced its data, or announced a primary. */
  | {
      readonly type: 'topology'
      readonly node: string
      readonly what: 'promoted' | 'resynced' | 'announced'
      /** The server that `node` replaced, or the primary that `node` announces. */
      readonly other?: string
      /** The defects of the promoted server's data; absent if there were none. */
      readonly defects?: readonly PromotionDefect[]
      /** Replicas with priority 0 that were up when it was promoted; absent if there were none. */
      readonly passedOver?: readonly string[]
      readonly sentence: string
    }
  /** Every fault that heals has healed. */
  | { readonly type: 'all-healed' }
  /**
   * The number of keys on the servers at the end. `withoutExpiry`: keys that never expire and did
   * not exist when the consumers started. `namesWithoutExpiry`: the first 100 of these.
   */
  | {
      readonly type: 'keys-counted'
      readonly keys: number
      readonly withoutExpiry: number
      readonly namesWithoutExpiry?: readonly string[]
      /**
       * Why the layer may still delete old keys: it has listed the keys, or it has a timer that the
       * run does not reach, such as one of a minute or more. A live run cannot see timers, so it
       * has `live` if any key is without expiry.
       */
      readonly maySweep?: 'timer-waits' | 'keys-listed' | 'live'
      /**
       * Structures without expiry that have got entries since the consumers started, at most 100.
       * Absent in live runs, and if there are none.
       */
      readonly structures?: readonly KeptStructure[]
    }
  /** The run used a feature that is not simulated; its verdict cannot be a pass. */
  | { readonly type: 'unsupported'; readonly what: string }
  /**
   * At the end of the run, a handler in a running process had not answered. `hangs`: why the
   * handler will never answer, as far as the simulation can tell. Absent: the run ended before that
   * was known.
   */
  | {
      readonly type: 'unanswered'
      readonly deliveryId: number
      readonly process: ProcessName
      readonly receivedUs: number
      readonly hangs?: Hang
    }
  /** The last fact. `complete: false`: a budget was spent before the run came to rest. */
  | { readonly type: 'ended'; readonly complete: boolean; readonly why?: string }

/** Why a handler never answers, as far as servers and connections of the simulation show it. */
export interface Hang {
  /**
   * The run had no events left. Absent: there were further events, but none of them had advanced
   * the handler for a long time.
   */
  readonly nothingLeft?: true
  /** The blocking command of the handler that the server has not answered and never will answer. */
  readonly blockedBy?: string
  /** The channels to which the process of the handler is subscribed. */
  readonly channels?: readonly string[]
  /** A connection of the handler's process is half-open, and neither end will notice. */
  readonly forgotten?: true
}

/**
 * Why the data of a promoted server were incomplete. `never-synced`: the server started empty and
 * had received no data from a primary. `forgetful`: it restarted with less data than before and had
 * not received the rest from a primary. `mid-resync`: a full resync from its primary was in
 * progress.
 */
export type PromotionDefect = 'never-synced' | 'forgetful' | 'mid-resync'

/**
 * A list, set, sorted set, hash or stream without expiry to which the run added entries, in its
 * state at the end.
 */
export interface KeptStructure {
  readonly key: string
  readonly type: 'hash' | 'list' | 'set' | 'zset' | 'stream'
  readonly size: number
  /**
   * The first 100 entries: items, members, fields without their values, or a stream's entries as
   * JSON.
   */
  readonly entries: readonly string[]
  /**
   * Whether the layer limits the size of the structure. `trimmed`: commands removed entries by age,
   * number or rank, or popped them. `measured`: commands read its size or scanned it, a script
   * contains a trimming command but did not execute it, or a consumer had a pending timer that may
   * have been for trimming. Removing an entry by its name counts as neither.
   */
  readonly kept: 'trimmed' | 'measured' | 'never'
  /**
   * Commands read the entries or popped the oldest: the layer may delete the keys whose names are
   * entries.
   */
  readonly lookedThrough?: true
}

/** Only recorded runs have traces. They are for people; checkers never read them. */
export type Trace =
  | { readonly type: 'log'; readonly process: ProcessName; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  | {
      readonly type: 'command'
      readonly process: ProcessName
      readonly command: string
      readonly reply: string
      readonly node?: string
      /** The layer's line that sent the command, if that is known. */
      readonly sentFrom?: SourcePosition
      /** The delivery whose handling sent the command, if that is known. */
      readonly sentFor?: number
      /**
       * The command was issued before its process received its first delivery, so no attempt sent
       * it.
       */
      readonly ofStart?: true
    }
  | { readonly type: 'network'; readonly process: ProcessName; readonly text: string }

/**
 * A fact or a trace, with its position and its time.
 * @example
 * ```ts
 * import type { HistoryEvent } from 'onceproof'
 *
 * const atMs = ({ atUs }: HistoryEvent): number => atUs / 1000
 * ```
 */
export type HistoryEvent = (Fact | Trace) & {
  /** Position in the history, from 0. */
  readonly seq: number
  /** Virtual microseconds since the run began, on the clock of the simulation. */
  readonly atUs: number
}

/** Facts that are the same for the whole run. */
export interface RunHeader {
  readonly scenario: string
  readonly implementation: string
  readonly sink: SinkKind
  readonly leaseMs: number
  readonly retentionMs: number
  readonly visibilityMs: number
  readonly redeliveryMs: number
  /**
   * How long a layer may answer `retry`: the bound that the layer declares, or that of the scenario
   * if the layer declares none.
   */
  readonly recoveryBoundMs: number
  readonly recoveryBoundFrom: 'layer' | 'scenario'
  /** The scenario's bound, for a layer that declares none. */
  readonly recoveryCapMs: number
  /** The mechanisms that the layer declares it does not have. */
  readonly lacks: readonly Mechanism[]
  /** The sinks on which the layer declares that it leaves no effect in doubt. */
  readonly leavesNoDoubtOn: readonly SinkKind[]
  /**
   * The layer treats another produced-at time as another message. Absent: the layer does not
   * declare this.
   */
  readonly bindsProducedAt?: true
  /**
   * The layer's `maxClockSkewMs`: it may dead-letter a message whose produced-at time is off by
   * more. Absent: 0.
   */
  readonly maxClockSkewMs?: number
  /**
   * The layer's `answersWithinMs`: how long one call may take, without the sink's time. Absent:
   * undeclared.
   */
  readonly answersWithinMs?: number
  /** How the layer declares that it treats a message without a key. Absent: undeclared. */
  readonly withoutKey?: KeylessPolicy
  /**
   * The meanings that the layer declares for its dead-letter reasons. Absent: the reasons are not
   * judged.
   */
  readonly deadLetterReasons?: DeadLetterReasons
  /**
   * The plan has no fault and no produced-at time that is off, and handlers end within their lease:
   * every message must be done, with one effect for each key.
   */
  readonly faultFree: boolean
  /**
   * For each kind of planned fault, the commands that it delays. A kind that is absent delays no
   * command.
   */
  readonly delays: { readonly [kind: string]: Delays }
  readonly [more: string]: JsonValue | undefined
}

/**
 * The ordered events of one run.
 * @example
 * ```ts
 * import type { History } from 'onceproof'
 *
 * const crashes = ({ events }: History) =>
 *   events.filter(({ type }) => type === 'process-ended').length
 * ```
 */
export interface History {
  readonly header: RunHeader
  readonly events: readonly HistoryEvent[]
}
