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
 * Whose commands wait, or are refused, while a fault is in force: those of every process, or only
 * those of the process or link that it struck.
 */
export type Delays = 'all' | 'its links'

/** Work that a worker or a relay took from a queue and performs outside of any delivery. */
export interface Job {
  /** The label of the command that took it. */
  readonly by: string
  /**
   * Its position among all commands of the run. Several commands between two events share one
   * `seq`.
   */
  readonly nth: number
  /** The number of events in the history when that command was executed. */
  readonly seq: number
  readonly atUs: number
  /** The Redis keys that the command names. */
  readonly redisKeys: readonly string[]
  /**
   * `finished`: its process took it off the queue, or marked it as finished. `undone`: the
   * transaction that had taken it was rolled back. Absent: neither. `by` is null if its session
   * ended.
   */
  readonly ended?: {
    readonly how: 'finished' | 'undone'
    readonly by: string | null
    readonly seq: number
    readonly atUs: number
  }
}

/**
 * The facts that checkers need. They are always present, in hot runs too.
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
       * By how much its produced-at time differs from that of its key, in milliseconds. Absent: not
       * at all.
       */
      readonly producedAtOffMs?: number
    }
  | {
      readonly type: 'delivered'
      readonly deliveryId: number
      readonly messageId: string
      readonly key: string
      readonly fingerprint: string
      /** 1 for the first hand-over of this message. */
      readonly attempt: number
      /**
       * Its position in its topic; both numbers start at 0. Absent: the broker has no partitions.
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
   * The broker is finished with the message. `given-up`: its attempts ran out. `passed-over`: a
   * consumer was still working on it, and the broker committed a later offset.
   */
  | {
      readonly type: 'settled'
      readonly messageId: string
      readonly as: 'done' | 'accepted' | 'refused' | 'dead-lettered' | 'given-up' | 'passed-over'
      readonly reason?: string
    }
  /** `sink.perform` was called: from here on a request may leave the process. */
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
       * The last command of its delivery, if the delivery still waits for the reply. Only in
       * recorded runs.
       */
      readonly unanswered?: { readonly args: readonly string[]; readonly forUs: number }
      /** The job that sent it, if no delivery is known to have done so; absent in live runs. */
      readonly job?: Job
      /** The layer's line that called the sink. Only in recorded runs that ask for it. */
      readonly sentFrom?: SourcePosition
    }
  /** The effect is in the ledger. This is the ground truth. */
  | {
      readonly type: 'effect-applied'
      readonly requestId: number
      readonly process: ProcessName
      readonly key: string
      readonly fingerprint: string
      readonly receipt: Receipt
      /**
       * The value that the caller gets instead of the receipt; without `value`, it gets nothing at
       * all. Absent: it gets the receipt.
       */
      readonly gives?: { readonly value?: JsonValue }
      readonly fence?: number
      /** A keyed sink had decided about the key before, and forgot it after this time. */
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
   * The sink refused for good (`reason: 'refused'`), because of a higher fence (`'fence'`), or
   * because its reference had been cancelled before (`'cancelled'`).
   */
  | {
      readonly type: 'effect-refused'
      readonly requestId: number
      readonly key: string
      readonly reason: 'refused' | 'fence' | 'cancelled'
      /** As for an applied effect. */
      readonly forgottenAfterMs?: number
    }
  /**
   * A `cancellable` sink cancelled a reference. `effects`: ids of the effects that it took back;
   * empty if none stood.
   */
  | {
      readonly type: 'effect-cancelled'
      readonly process: ProcessName
      readonly key: string
      readonly reference: string
      readonly effects: readonly string[]
    }
  /** What the caller of `perform` got. `error` leaves the effect in doubt. */
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
      /** The sentence of the fault, for people: "consumer-1 is killed after its SET executed". */
      readonly sentence: string
      readonly process?: ProcessName
      /** The server of the Redis deployment that it struck, if it struck one. */
      readonly node?: string
      readonly boundary?: Boundary
    }
  | { readonly type: 'fault-healed'; readonly fault: string; readonly index: number; readonly sentence: string }
  /** A report of a layer about its lock (`CreateContext.lock`). No verdict depends on it. */
  | { readonly type: 'lock'; readonly process: ProcessName; readonly key: string; readonly what: LockNews }
  /** A command was executed, and a reset, a partition or a crash kept its reply from the client. */
  | { readonly type: 'reply-lost'; readonly process: ProcessName; readonly command: string }
  /** A command left a process and was never executed. */
  | { readonly type: 'request-lost'; readonly process: ProcessName; readonly command: string }
  /**
   * A command took a path that the replies do not show; `forUs` is the delay.
   * - `held-back`: the first command of a process that had had no reply for this long.
   * - `given-up`: executed this long after its client, which still ran, had closed the connection.
   * - `outlived`: the same, but the process has ended since, or closed the connection by ending.
   * - `sent-again`: executed a second time this long after the first, on a connection that had
   *   executed nothing else.
   * - `torn`: never executed, although commands that left with it this long ago were.
   */
  | {
      readonly type: 'command-strayed'
      readonly process: ProcessName
      readonly command: string
      readonly how: 'held-back' | 'given-up' | 'outlived' | 'sent-again' | 'torn'
      readonly forUs: number
    }
  /** Records were lost otherwise than by the layer's own commands. */
  | {
      readonly type: 'data-lost'
      readonly node: string
      /**
       * `failover`: a replica without them was promoted. `split-brain`: a primary that had been
       * replaced wrote them.
       */
      readonly cause: 'restart' | 'flush' | 'eviction' | 'failover' | 'split-brain' | 'expiry'
      /** The keys that were lost, by their names in Redis, if known. */
      readonly redisKeys?: readonly string[]
      /** The keys whose effects were rows of that database, and were lost with their commits. */
      readonly effects?: readonly string[]
      /** At least one of these writes had been acknowledged to a client. */
      readonly acknowledged?: boolean
    }
  /** A deployment changed: a server was promoted, resynced its data, or announced a primary. */
  | {
      readonly type: 'topology'
      readonly node: string
      readonly what: 'promoted' | 'resynced' | 'announced'
      /** The server that it replaced, or the primary that it announces. */
      readonly other?: string
      /** Defects of the promoted server's data; absent if there were none. */
      readonly defects?: readonly PromotionDefect[]
      /** Replicas with priority 0 that were up when it was promoted; absent if there were none. */
      readonly passedOver?: readonly string[]
      readonly sentence: string
    }
  /** Every fault that heals has healed. */
  | { readonly type: 'all-healed' }
  /**
   * Counted on the servers at the end. `withoutExpiry`: keys that never expire and were not there
   * when the consumers started. `namesWithoutExpiry`: the first 100 of them.
   */
  | {
      readonly type: 'keys-counted'
      readonly keys: number
      readonly withoutExpiry: number
      readonly namesWithoutExpiry?: readonly string[]
      /**
       * The layer may still delete old keys: it has listed the keys, or it has a timer that the run
       * does not reach, such as one of a minute or more. A live run cannot see timers: it has
       * `live` if there are any such keys.
       */
      readonly maySweep?: 'timer-waits' | 'keys-listed' | 'live'
      /**
       * Keys without expiry that have got entries since the consumers started, the first 100;
       * absent in live runs, and if there are none.
       */
      readonly structures?: readonly KeptStructure[]
    }
  /** The run used something that is not simulated; its verdict cannot be a pass. */
  | { readonly type: 'unsupported'; readonly what: string }
  /**
   * At the end of the run, the handler in a live process had not answered. `hangs`: it never will,
   * as far as the simulation can tell. Absent: the run ended before that was known.
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
   * Nothing was left to happen in the run. Absent: events went on, but had not helped it for long.
   */
  readonly nothingLeft?: true
  /** The command that its server has not answered and never will, because it blocks. */
  readonly blockedBy?: string
  /** The channels that its process is subscribed to. */
  readonly channels?: readonly string[]
  /** A connection of its process is half-open, and neither end will notice. */
  readonly forgotten?: true
}

/**
 * `never-synced`: it started empty, and no primary had given it data since. `forgetful`: it
 * restarted with less data than before, and no primary had given it the rest. `mid-resync`: a full
 * resync from its primary was in progress.
 */
export type PromotionDefect = 'never-synced' | 'forgetful' | 'mid-resync'

/**
 * A list, set, sorted set, hash or stream without expiry that got entries in the run, as it was at
 * the end.
 */
export interface KeptStructure {
  readonly key: string
  readonly type: 'hash' | 'list' | 'set' | 'zset' | 'stream'
  readonly size: number
  /** The first 100: items, members, fields without their values, or a stream's entries as JSON. */
  readonly entries: readonly string[]
  /**
   * How the run kept it short. `trimmed`: commands removed entries by age, number or rank, or
   * popped them. `measured`: commands asked for its size or scanned it, a script mentions trimming
   * and did not do it, or a timer of a consumer was pending that may have been for trimming.
   * Removing an entry by its name counts as neither.
   */
  readonly kept: 'trimmed' | 'measured' | 'never'
  /**
   * Commands read its entries or popped the oldest: the layer may delete the keys that the entries
   * name.
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
      /** The layer's line that sent it, if that is known. */
      readonly sentFrom?: SourcePosition
      /** The delivery whose handling sent it, if that is known. */
      readonly sentFor?: number
      /** It was requested before its process had anything to handle, so no attempt sent it. */
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

/** What stays the same for the whole run. */
export interface RunHeader {
  readonly scenario: string
  readonly implementation: string
  readonly sink: SinkKind
  readonly leaseMs: number
  readonly retentionMs: number
  readonly visibilityMs: number
  readonly redeliveryMs: number
  /**
   * How long a layer may answer `retry`: the bound that it declares, or the scenario's if it
   * declares none.
   */
  readonly recoveryBoundMs: number
  readonly recoveryBoundFrom: 'layer' | 'scenario'
  /** The bound for a layer that declares none. */
  readonly recoveryCapMs: number
  /** The mechanisms that the layer declares it does not have. */
  readonly lacks: readonly Mechanism[]
  /** The sinks on which the layer declares that it leaves no effect in doubt. */
  readonly leavesNoDoubtOn: readonly SinkKind[]
  /**
   * The layer treats another produced-at time as another message. Absent: it does not declare that.
   */
  readonly bindsProducedAt?: true
  /**
   * How far produced-at times may be off before the layer may dead-letter for it, as it declares.
   * Absent: not at all.
   */
  readonly maxClockSkewMs?: number
  /**
   * How long one call may take, without the sink's time, as the layer declares. Absent: undeclared.
   */
  readonly answersWithinMs?: number
  /** How the layer declares to treat a message without a key. Absent: undeclared. */
  readonly withoutKey?: KeylessPolicy
  /** What the layer declares that its dead-letter reasons mean. Absent: they are not judged. */
  readonly deadLetterReasons?: DeadLetterReasons
  /**
   * The plan has no fault and no produced-at time that is off, and handlers end within their lease:
   * every message must be done, with one effect for each key.
   */
  readonly faultFree: boolean
  /** By kind of planned fault; a kind that is absent delays no command. */
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
