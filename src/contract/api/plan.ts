import type { JsonValue } from './json.ts'

/**
 * Every boundary at which a fault can strike, in the order in which one attempt passes them
 * (docs/how-it-works/design.md 8, crashes). `command` and `script` boundaries carry the command's
 * label (`GET`, `EVALSHA acquire`).
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
export type Boundary = (typeof boundaries)[number]

/** These are passed with every command and script that the layer has. */
export const commandBoundaries: readonly Boundary[] = [
  'command-unsent',
  'command-unexecuted',
  'command-executed',
  'reply-received',
]

/**
 * When a planned fault strikes: at a time; when a consumer slot passes a boundary for the nth time;
 * or, with `of`, when anybody passes it with such a command for the nth time.
 */
export type Trigger =
  | { readonly at: 'time'; readonly ms: number }
  | { readonly at: Boundary; readonly consumer: number; readonly nth: number; readonly of?: CommandAim }

/**
 * What a command is, whatever its number in the run: two versions of a layer, one of which sends a
 * command more, then meet the same fault. By its label (`SET`, `EVALSHA begin`) and the first Redis
 * key that it names, which a reply does not tell. `pick` is for draws, which know no labels
 * beforehand: of the kinds of commands, one in `picks` has that number, by a hash of label and key.
 */
export type CommandAim = { readonly label: string; readonly key?: string } | { readonly pick: number }

/** `pick` is a whole number below this. */
export const picks = 6

/**
 * One fault as drawn: data. `kind` names a file of `src/run/faults/`; the parameters are that
 * fault's own.
 */
export interface PlannedFault {
  readonly kind: string
  readonly when: Trigger
  /** Milliseconds until it heals; absent where healing makes no sense; 0 heals at once. */
  readonly healAfterMs?: number
  /**
   * In place of `healAfterMs`, or of `extraMs` in a fault that does not heal: as long as one of the
   * time limits that the layer has set by then, and `byMs` more. Limits are numbered as they come;
   * 0 is the lease.
   */
  readonly near?: { readonly limit: number; readonly byMs: number }
  readonly [parameter: string]: JsonValue | undefined
}

/** The consumer slot that a fault is aimed at. */
export function slotOf(fault: PlannedFault): number {
  return fault.when.at === 'time' ? Number(fault.consumer ?? 0) : fault.when.consumer
}

/**
 * The message that a fault is aimed at, counted from 0 and over again; the first one, where it
 * names none.
 */
export function messageOf(fault: PlannedFault): number {
  return Number(fault.message ?? 0)
}

/** The Redis deployment that a run is to have. All times in virtual milliseconds. */
export interface RedisPlan {
  /** The number of primaries of a Cluster. Absent: no Cluster, one primary. */
  readonly shards?: number
  /**
   * The number of primaries that know nothing of each other, as Redlock asks for: no replicas, no
   * Sentinels, no Cluster. Absent: none.
   */
  readonly independent?: number
  /** Replicas of each primary at the beginning; 0 for none. */
  readonly replicas: number
  /**
   * So many of them, the last ones, have priority 0: Sentinels never promote them. Absent: none.
   * Not for a Cluster, which does not look at priorities.
   */
  readonly neverPromoted?: number
  /**
   * Further servers that run only from when on `machine-added` starts them: replicas that neither
   * Sentinels nor layers are told of, and that have priority 0. Absent: none. Not for a Cluster.
   */
  readonly spares?: number
  /** Sentinels that watch it, with a majority as their quorum; 0: nobody fails over. */
  readonly sentinels: number
  /**
   * After how long without a sign of life Sentinels call a server down; of a Cluster,
   * `cluster-node-timeout`.
   */
  readonly downAfterMs: number
  readonly failoverTimeoutMs: number
  /**
   * What a server that has died finds on its disk: nothing, its last snapshot, its append-only
   * file.
   */
  readonly keeps: 'nothing' | 'snapshot' | 'aof-everysec' | 'aof-always'
  readonly minReplicasToWrite: number
  /**
   * How many replicas layers are told to wait for, where they wait for any. Absent: all of them.
   */
  readonly waitFor?: number
  /** How long a full resync's transfer lasts. */
  readonly fullSyncMs: number
  /** How long a server reads its data set before it serves. */
  readonly loadingMs: number
}

/**
 * The PostgreSQL server that a run is to have, where its layer asks for one. All times in virtual
 * milliseconds.
 */
export interface PostgresPlan {
  /**
   * `synchronous_commit`. Off: a commit is answered before it is on disk, and a crash may lose it.
   */
  readonly synchronousCommit: boolean
  /** `max_connections`. */
  readonly maxConnections: number
  /** How long a server that has died reads its log before it accepts clients again. */
  readonly recoveryMs: number
  /**
   * A second server takes the place of the first one when that is lost. Synchronous: it has a
   * commit before that is answered, unless the session asked for less by `synchronous_commit`.
   * Asynchronous: up to 600 ms later. Absent: there is none.
   */
  readonly standby?: 'synchronous' | 'asynchronous'
  /**
   * How much later a synchronous standby has a commit, which is answered and seen by others then.
   * Absent: at once. A server that dies meanwhile comes back with the commit, and others see it
   * before the standby has it.
   */
  readonly standbyLagMs?: number
}

export interface PlannedMessage {
  readonly key: string
  readonly payload: JsonValue
  readonly publishAtMs: number
  /**
   * How far its produced-at time is off that of its key; above 0, it is from the future. Messages
   * of one key that differ in it give the key two produced-at times. Absent: not at all.
   */
  readonly stampOffMs?: number
  /** It has no key: `key` is empty. Absent: it has one. */
  readonly keyless?: true
}

/**
 * What the layer's caller does in its own process around each request to the sink, as part of what
 * the layer guards.
 */
export interface PlannedWork {
  /** Before the request is sent. */
  readonly beforeMs: number
  /** After its answer came, before the caller has it. */
  readonly afterMs: number
}

/**
 * What callers of the sink are handed for an effect, in place of its receipt. `nothing` is no value
 * at all, as of an HTTP 204. The others are values that layers which test for truth take for none,
 * and values with depth or length.
 */
export const resultStyles = ['nothing', 'null', 'false', 'zero', 'empty-text', 'empty', 'nested', 'large'] as const
export type ResultStyle = (typeof resultStyles)[number]

/** A broker with partitions: what a topic and its consumer group are set to. */
export interface BrokerPlan {
  /** A key is always in the same one. */
  readonly partitions: number
  /** How many messages of a partition a consumer takes at most before it commits. */
  readonly batch: number
}

/**
 * Everything drawn before a run: workload, timings, faults. JSON-serialisable; all times in virtual
 * milliseconds.
 */
export interface Plan {
  readonly consumers: number
  readonly messages: readonly PlannedMessage[]
  readonly leaseMs: number
  readonly retentionMs: number
  /** The broker's visibility time-out: unanswered deliveries come back after it. */
  readonly visibilityMs: number
  /** How long the broker waits before it delivers again what was answered `retry`, or threw. */
  readonly redeliveryMs: number
  /** Deliveries of one message before the broker gives up on it. */
  readonly maxAttempts: number
  /** How long the sink works on one effect. */
  readonly effectMs: number
  /** After how long without an answer `sink.perform` rejects with `SinkTimeout`. */
  readonly effectTimeoutMs: number
  /** A supervisor replaces a process whose `create` takes longer. Absent: 30 s. */
  readonly startsWithinMs?: number
  /**
   * Each consumer is handed a message only when it has none. Absent: deliveries to one consumer
   * overlap.
   */
  readonly serial?: true
  /** Messages are in partitions of a topic. Absent: in one queue for all consumers. */
  readonly broker?: BrokerPlan
  /** Absent: none. */
  readonly work?: PlannedWork
  /** How long after its first effect a keyed sink knows a key. Absent: for ever. */
  readonly sinkRemembersMs?: number
  /** Absent: the receipt. */
  readonly results?: ResultStyle
  /** Absent: one server that keeps nothing on disk. */
  readonly redis?: RedisPlan
  /** Absent: PostgreSQL's defaults, and a recovery that takes no time. */
  readonly postgres?: PostgresPlan
  readonly faults: readonly PlannedFault[]
}
