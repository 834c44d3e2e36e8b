/**
 * The data of a picture of one run: lanes, messages between them, and conditions that held for a
 * time. It is JSON, made from a traced run. Times are virtual microseconds since the run began, on
 * the clock of the simulation. `seq` numbers events as the history does. Texts of layers are
 * escaped.
 */

import type { SinkKind } from '../api/sink.ts'
import type { InvariantName } from '../api/verdict.ts'
import type { ScriptRun } from './run-trace.ts'

/**
 * A line of the picture. Incarnations of one consumer slot share a lane, and so do Sentinels that
 * do not affect the run.
 */
export interface Lane {
  readonly name: string
  readonly kind: 'broker' | 'consumer' | 'redis' | 'sentinel' | 'store' | 'sink'
}

/** The category of an event, for its appearance. */
export type Tone = 'fault' | 'healed' | 'effect' | 'repeat' | 'lost' | 'ended' | 'role' | 'log' | 'step'

export interface TimelineEvent {
  readonly seq: number
  readonly atUs: number
  readonly tone: Tone
  /** Index of the event's lane; null if the event concerns all lanes. */
  readonly lane: number | null
  readonly text: string
  /** Only for commands: the full command, and in `reply` the reply. */
  readonly command?: string
  readonly reply?: string
  /** The part of `text` after `: `, which is the shortened reply. */
  readonly answer?: string
  /** The scripts that the command ran, as in a run trace. */
  readonly scripts?: readonly ScriptRun[]
  /** The layer's line that sent the command or request: `src/lock.ts:41`. */
  readonly sentFrom?: string
  /** Only for effects: the number of the effect among those of its key, from 1. */
  readonly effect?: number
  /** The story contains the event. */
  readonly reported?: true
  /** The event shows the violation. */
  readonly shows?: true
}

/** A message in flight from one lane to another. */
export interface InFlightMessage {
  readonly kind: 'delivery' | 'answer' | 'request' | 'reply' | 'effect' | 'receipt' | 'copy'
  readonly from: number
  readonly to: number
  readonly sentUs: number
  /** Null if the message never arrived. */
  readonly arrivedUs: number | null
  /** The event with which the message is drawn. */
  readonly seq: number
  /** The event at which the message is sent, if that is a separate event. */
  readonly fromSeq?: number
  readonly text: string
}

/** A condition that held for a time, over one lane or several. */
export interface Band {
  readonly kind: 'pause' | 'cut' | 'skew' | 'down' | 'degraded' | 'two-primaries'
  readonly lanes: readonly number[]
  readonly fromUs: number
  readonly untilUs: number
  readonly text: string
}

/**
 * A state of one lane. `primary`, `replica`: the role that a server believes it has. `handling`: a
 * message is being handled. `record`: a key exists, by the server's clock. `lease`: a process has a
 * lease, by the clock of the process.
 */
export interface Bar {
  readonly kind: 'primary' | 'replica' | 'handling' | 'record' | 'lease'
  readonly lane: number
  readonly fromUs: number
  readonly untilUs: number
  readonly text: string
  /** The Redis key of a record or a lease. */
  readonly key?: string
  /**
   * The lane of the consumer that wrote a record, on this server or on the server from which it was
   * replicated; absent if no consumer wrote it.
   */
  readonly by?: number
  /**
   * Only for leases: the lease expired by its holder's clock; it did not end earlier because the
   * work ended or the holder released it.
   */
  readonly lapses?: true
  /** The event with which the handling begins. */
  readonly seq?: number
  /** A message with another key than the one in view is being handled. */
  readonly aside?: true
}

/** From `atUs` on, a server has this value for the key. */
export interface StoredKey {
  readonly seq: number
  readonly atUs: number
  readonly lane: number
  readonly key: string
  /** Null: the key does not exist. */
  readonly value: string | null
  /**
   * When the key expires by the server's clock, converted to simulated time; null if it does not
   * expire during the run.
   */
  readonly untilUs: number | null
  /** The lane of the writer, as for the bar of a record. */
  readonly by?: number
}

/**
 * From `atUs` on, a process believes something. Commands and replies are not beliefs but messages.
 */
export interface Belief {
  readonly seq: number
  readonly atUs: number
  readonly lane: number
  /**
   * The subject: `state`, `handling <delivery>`, `holds <key>`. When the process ends, `asked` and
   * `heard` end: its open requests and the answers that it had received.
   */
  readonly about: string
  /** Null: the belief ends. */
  readonly text: string | null
}

export interface ClockReading {
  readonly atUs: number
  readonly lane: number
  readonly aheadUs: number
  /** Microseconds of the clock in one second of simulated time. */
  readonly pace: number
}

/** A Lua script, line by line. */
export interface ScriptText {
  readonly name: string
  readonly lines: readonly string[]
  /** As in a run trace. */
  readonly statements: readonly number[]
}

export interface Timeline {
  /** The layer and the scenario of the run. */
  readonly title: string
  readonly key: string | null
  readonly endUs: number
  readonly lanes: readonly Lane[]
  readonly events: readonly TimelineEvent[]
  readonly scripts: readonly ScriptText[]
  readonly messages: readonly InFlightMessage[]
  readonly bands: readonly Band[]
  readonly bars: readonly Bar[]
  readonly keys: readonly StoredKey[]
  readonly beliefs: readonly Belief[]
  readonly clocks: readonly ClockReading[]
  /** Events outside of the story that are folded after a given event, and the text for them. */
  readonly folds: readonly { readonly afterSeq: number; readonly text: string }[]
  /** Lines about the result of the run, and about the expected result. */
  readonly ending: readonly string[]
}

/** The pictures on a page for a finding or a replay: its run, and the nearest passing run. */
export interface Picture {
  readonly implementation: string
  readonly sink: SinkKind
  /** The finding's id; null for a replay. */
  readonly finding: string | null
  /** Only for replays: the violation that the picture shows; absent if the run violates nothing. */
  readonly shows?: { readonly invariant: InvariantName; readonly kind: string }
  readonly timeline: Timeline
  readonly nearestPassing?: {
    /** The difference to the shown run. */
    readonly what: string
    /**
     * The command that replays the passing run; empty if neither a token nor a file contains the
     * run.
     */
    readonly replay: string
    readonly timeline: Timeline
  }
}
