import type { DeadLetterReasons, KeylessPolicy, LockNews, Mechanism } from './implementation.ts'
import type { JsonValue } from './json.ts'
import type { Outcome } from './message.ts'
import type { Boundary } from './plan.ts'
import type { Receipt, SinkKind } from './sink.ts'
import type { SourcePosition } from './source-position.ts'

/**
 * Names one incarnation of a consumer: slot and incarnation, `consumer-1`, and `consumer-1.2` after
 * a restart.
 */
export type ProcessName = string

/**
 * Whose commands wait, or are refused, while a fault is in force: those of every process, or those
 * of the process that it struck, or whose link it struck.
 */
export type Delays = 'all' | 'its links'

/** A worker or a relay took it from a queue, and performs it outside of any delivery. */
export interface Job {
  /** The label of the command that took it. */
  readonly by: string
  /** Its place among all commands of the run: `seq` is shared by those between two events. */
  readonly nth: number
  /** How many events the history had when that was executed. */
  readonly seq: number
  readonly atUs: number
  /** What the command names in Redis. */
  readonly redisKeys: readonly string[]
  /**
   * `finished`: its process took it off the queue, or marked it. `undone`: the transaction that had
   * taken it came to nothing. Absent: neither. `by`: null if its session ended.
   */
  readonly ended?: {
    readonly how: 'finished' | 'undone'
    readonly by: string | null
    readonly seq: number
    readonly atUs: number
  }
}

/** The facts that checkers need, whatever else a run recorded. Always present, in hot runs too. */
export type Fact =
  | {
      readonly type: 'published'
      readonly messageId: string
      readonly key: string
      /** Canonical JSON of the payload: what `payload-bound` tells payloads apart by. */
      readonly fingerprint: string
      /** The broker itself published a copy (fault `duplicate-delivery`); the id is the same. */
      readonly copy: boolean
      /**
       * How far its produced-at time is off that of its key, in milliseconds. Absent: not at all.
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
      /** Its place in its topic, both from 0. Absent: the broker has no partitions. */
      readonly partition?: number
      readonly offset?: number
      readonly process: ProcessName
    }
  /**
   * The handler answered. `receivedUs`: when it was called, where the layer declares within how
   * long it answers.
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
  /** The broker's visibility time-out passed without an answer that reached it. */
  | { readonly type: 'delivery-timed-out'; readonly deliveryId: number }
  | { readonly type: 'acknowledgement-lost'; readonly deliveryId: number }
  /**
   * The broker is finished with the message. `given-up`: its attempts ran out; `passed-over`: it
   * was still being worked on, and the broker committed a later position.
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
      /** The delivery being handled, where the process had just one for the key. */
      readonly deliveryId: number | null
      readonly process: ProcessName
      readonly key: string
      readonly fingerprint: string
      readonly fence?: number
      /** The last question of its delivery, if that waits for the reply. Only of recorded runs. */
      readonly unanswered?: { readonly args: readonly string[]; readonly forUs: number }
      /** For which job, if no delivery is known to have sent it; absent in live runs. */
      readonly job?: Job
      /** The layer's line that called the sink; in recorded runs that were asked for it. */
      readonly sentFrom?: SourcePosition
    }
  /** In the ledger. The truth. */
  | {
      readonly type: 'effect-applied'
      readonly requestId: number
      readonly process: ProcessName
      readonly key: string
      readonly fingerprint: string
      readonly receipt: Receipt
      /**
       * What the caller is handed in place of the receipt; without `value`, nothing at all. Absent:
       * the receipt.
       */
      readonly gives?: { readonly value?: JsonValue }
      readonly fence?: number
      /** A keyed sink had decided about the key before, and remembered that for so long. */
      readonly forgottenAfterMs?: number
    }
  /** A `keyed` sink answered the first receipt again. */
  | {
      readonly type: 'effect-deduplicated'
      readonly requestId: number
      readonly key: string
      readonly effectId: string
    }
  /**
   * The sink refused for good (`reason: 'refused'`), because of a higher fence (`'fence'`), or
   * since its reference was cancelled before it came.
   */
  | {
      readonly type: 'effect-refused'
      readonly requestId: number
      readonly key: string
      readonly reason: 'refused' | 'fence' | 'cancelled'
      /** As of an effect that was applied. */
      readonly forgottenAfterMs?: number
    }
  /**
   * A `cancellable` sink was told to cancel a reference. `effects`: those that it took back, by
   * their id; none where none stood.
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
  /** `died`: an exception, a rejection or a throw in `nextTick` of its own; `crashed`: a fault. */
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
      /**
       * The fault's own sentence, ready for a person: "consumer-1 is killed after its SET
       * executed".
       */
      readonly sentence: string
      readonly process?: ProcessName
      /** The machine of the Redis deployment that it befell, where it was one. */
      readonly node?: string
      readonly boundary?: Boundary
    }
  | { readonly type: 'fault-healed'; readonly fault: string; readonly index: number; readonly sentence: string }
  /** What a layer says of its lock (`CreateContext.lock`). No verdict rests on it. */
  | { readonly type: 'lock'; readonly process: ProcessName; readonly key: string; readonly what: LockNews }
  /**
   * A command executed and its reply never reached the client (reset, partition or crash took it).
   */
  | { readonly type: 'reply-lost'; readonly process: ProcessName; readonly command: string }
  /** A command left a process and was never executed. */
  | { readonly type: 'request-lost'; readonly process: ProcessName; readonly command: string }
  /**
   * A command took a way that no answer tells of. `held-back`: first to be sent by a process that
   * had had no answer for so long; `given-up`: executed so long after its client had hung up on it,
   * and was still there; `outlived`: the same where the process has ended since, or hung up by
   * ending; `sent-again`: executed a second time, on a connection that had executed nothing else,
   * so long after the first; `torn`: never executed, though others were that had left with it, so
   * long ago.
   */
  | {
      readonly type: 'command-strayed'
      readonly process: ProcessName
      readonly command: string
      readonly how: 'held-back' | 'given-up' | 'outlived' | 'sent-again' | 'torn'
      readonly forUs: number
    }
  /** Records went away otherwise than by the layer's own commands. */
  | {
      readonly type: 'data-lost'
      readonly node: string
      /**
       * `failover`: promoted without them; `split-brain`: written by a primary that had been
       * replaced, and so in vain.
       */
      readonly cause: 'restart' | 'flush' | 'eviction' | 'failover' | 'split-brain' | 'expiry'
      /** The keys that went, as Redis names them, where known. */
      readonly redisKeys?: readonly string[]
      /** The keys whose effects were rows of that database, and went with their commits. */
      readonly effects?: readonly string[]
      /** Some client had been told that one of them was written. */
      readonly acknowledged?: boolean
    }
  /** A deployment changed: who is the primary, who has whose data, who says so. */
  | {
      readonly type: 'topology'
      readonly node: string
      readonly what: 'promoted' | 'resynced' | 'announced'
      /** In whose place it was promoted; whom it announces as the primary. */
      readonly other?: string
      /** What was wrong with the data of the promoted server; absent where nothing was. */
      readonly defects?: readonly PromotionDefect[]
      /**
       * Replicas that were up when it was promoted, and have priority 0; absent where there was
       * none.
       */
      readonly passedOver?: readonly string[]
      readonly sentence: string
    }
  /** Every fault that heals has healed. */
  | { readonly type: 'all-healed' }
  /**
   * Asked of the servers at the end. `withoutExpiry`: keys that will never expire and were not
   * there when the consumers started, with the names of the first 100 of them.
   */
  | {
      readonly type: 'keys-counted'
      readonly keys: number
      readonly withoutExpiry: number
      readonly namesWithoutExpiry?: readonly string[]
      /**
       * The layer may be about to delete those that are old: it has asked which keys there are, or
       * a timer of it waits that the run does not reach, as one of a minute or more. Of a live run,
       * which sees no timers, always where there are such keys.
       */
      readonly maySweep?: 'timer-waits' | 'keys-listed' | 'live'
      /**
       * Keys without expiry that have got entries since the consumers started, the first 100;
       * absent where there are none, and in live runs.
       */
      readonly structures?: readonly KeptStructure[]
    }
  /** The run met what is not simulated; its verdict can be no pass. */
  | { readonly type: 'unsupported'; readonly what: string }
  /**
   * At the end, of a handler in a process that lives: it had not answered. `hangs`: it never will,
   * as far as the simulation can tell. Without it, the run was over before that was known.
   */
  | {
      readonly type: 'unanswered'
      readonly deliveryId: number
      readonly process: ProcessName
      readonly receivedUs: number
      readonly hangs?: Hang
    }
  /** The last fact. `complete: false`: a budget was spent before the world came to rest. */
  | { readonly type: 'ended'; readonly complete: boolean; readonly why?: string }

/** What servers and connections of the simulation show of a handler that never answers. */
export interface Hang {
  /** Nothing was left to happen in the world. Absent: what went on had not helped it for long. */
  readonly nothingLeft?: true
  /** The command that its server has not answered yet, and will not: it blocks. */
  readonly blockedBy?: string
  /** The channels that its process is subscribed to. */
  readonly channels?: readonly string[]
  /** A connection of its process was forgotten on its way, and neither end will notice. */
  readonly forgotten?: true
}

/**
 * `never-synced`: it was started with nothing, and no primary had given it anything since;
 * `forgetful`: it came back with less than it had, and nobody had given it the rest; `mid-resync`:
 * its primary's whole data set was on the way to it.
 */
export type PromotionDefect = 'never-synced' | 'forgetful' | 'mid-resync'

/**
 * A list, set, sorted set, hash or stream without expiry: what it has got in a run, as it was at
 * the end.
 */
export interface KeptStructure {
  readonly key: string
  readonly type: 'hash' | 'list' | 'set' | 'zset' | 'stream'
  readonly size: number
  /**
   * The first 100: items, members, fields without their values, a stream's fields and values as
   * JSON.
   */
  readonly entries: readonly string[]
  /**
   * What the run did to keep it short. `trimmed`: commands took entries away by age, number or
   * rank, or took them out at an end. `measured`: they asked for its size or looked through it, a
   * script spoke of trimming and did not do it, or a consumer still had a timer waiting, which may
   * have been for that. Taking away an entry by its name is none of these.
   */
  readonly kept: 'trimmed' | 'measured' | 'never'
  /**
   * Commands asked for its entries, or took the oldest: keys that they name may be deleted by that.
   */
  readonly lookedThrough?: true
}

/** What only a recorded run carries, for people: never read by a checker. */
export type Trace =
  | { readonly type: 'log'; readonly process: ProcessName; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  | {
      readonly type: 'command'
      readonly process: ProcessName
      readonly command: string
      readonly reply: string
      readonly node?: string
      /** The layer's line that it comes from, where that is known. */
      readonly sentFrom?: SourcePosition
      /** The delivery in whose handling it was made, if that is known. */
      readonly sentFor?: number
      /**
       * It was asked for before its process was given anything to handle, so that no attempt sent
       * it.
       */
      readonly ofStart?: true
    }
  | { readonly type: 'network'; readonly process: ProcessName; readonly text: string }

export type HistoryEvent = (Fact | Trace) & {
  /** Position in the history, from 0. */
  readonly seq: number
  /** Virtual microseconds since the run began, on the world's own clock. */
  readonly atUs: number
}

/** What was so for the whole run. */
export interface RunHeader {
  readonly scenario: string
  readonly implementation: string
  readonly sink: SinkKind
  readonly leaseMs: number
  readonly retentionMs: number
  readonly visibilityMs: number
  readonly redeliveryMs: number
  /**
   * How long `retry` may go on: the bound that the layer declares, or the scenario's where it
   * declares none.
   */
  readonly recoveryBoundMs: number
  readonly recoveryBoundFrom: 'layer' | 'scenario'
  /** What holds a layer that declares no bound. */
  readonly recoveryCapMs: number
  /** The mechanisms that the layer says it does without. */
  readonly lacks: readonly Mechanism[]
  /** The sinks on which the layer says that it leaves nothing in doubt. */
  readonly leavesNoDoubtOn: readonly SinkKind[]
  /** Another produced-at time is another message to the layer. Absent: it does not say so. */
  readonly bindsProducedAt?: true
  /**
   * How far produced-at times may be off before they are a reason to dead-letter, as the layer
   * says. Absent: not at all.
   */
  readonly maxClockSkewMs?: number
  /**
   * How long one call may take beside the sink's time, as the layer declares. Absent: it does not.
   */
  readonly answersWithinMs?: number
  /** What the layer does with a message without a key, as it declares. Absent: it does not. */
  readonly withoutKey?: KeylessPolicy
  /**
   * What the layer's reasons to dead-letter claim, as it declares. Absent: nothing that could be
   * judged.
   */
  readonly deadLetterReasons?: DeadLetterReasons
  /**
   * No fault was planned, no produced-at time is off, and handlers end within their lease:
   * everything must be done, with one effect a key.
   */
  readonly faultFree: boolean
  /** By the kinds of the planned faults; a kind that is absent delays no command. */
  readonly delays: { readonly [kind: string]: Delays }
  readonly [more: string]: JsonValue | undefined
}

/** The ordered events of one run. */
export interface History {
  readonly header: RunHeader
  readonly events: readonly HistoryEvent[]
}
