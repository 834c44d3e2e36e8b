/**
 * One run as a picture needs it: who stood where, what went from whom to whom, what held for how
 * long. JSON; made from a traced run. Times are virtual microseconds since the run began, on the
 * world's own clock. `seq` numbers events as the history does; texts of layers stand in it with
 * escapes.
 */

import type { SinkKind } from '../api/sink.ts'
import type { InvariantName } from '../api/verdict.ts'
import type { ScriptRun } from './run-trace.ts'

/**
 * Who has a line of its own. Incarnations of one consumer slot share theirs, and so do Sentinels on
 * which nothing hangs.
 */
export interface Lane {
  readonly name: string
  readonly kind: 'broker' | 'consumer' | 'redis' | 'sentinel' | 'store' | 'sink'
}

/** What an event is, as far as it looks different. */
export type Tone = 'fault' | 'healed' | 'effect' | 'repeat' | 'lost' | 'ended' | 'role' | 'log' | 'step'

export interface TimelineEvent {
  readonly seq: number
  readonly atUs: number
  readonly tone: Tone
  /** Index of the lane at which it happens; null for what is about all. */
  readonly lane: number | null
  readonly text: string
  /** Of a command: in full, and what was answered. */
  readonly command?: string
  readonly reply?: string
  /** The part of its text that tells the reply, shortened; `: ` stands before it. */
  readonly answer?: string
  /** The scripts that it ran, as in a run trace. */
  readonly scripts?: readonly ScriptRun[]
  /** The line of the layer that sent it: `src/lock.ts:41`. */
  readonly sentFrom?: string
  /** Of an effect: its number among those of its key, from 1. */
  readonly effect?: number
  /** Told by the story. */
  readonly reported?: true
  /** It shows the violation. */
  readonly shows?: true
}

/** Something on its way from one lane to another. */
export interface InFlightMessage {
  readonly kind: 'delivery' | 'answer' | 'request' | 'reply' | 'effect' | 'receipt' | 'copy'
  readonly from: number
  readonly to: number
  readonly sentUs: number
  /** Null where it never arrived. */
  readonly arrivedUs: number | null
  /** The event that it is drawn with. */
  readonly seq: number
  /** The event at which it begins, where that has one of its own. */
  readonly fromSeq?: number
  readonly text: string
}

/** Something that held for a time, over a lane or over several. */
export interface Band {
  readonly kind: 'pause' | 'cut' | 'skew' | 'down' | 'degraded' | 'two-primaries'
  readonly lanes: readonly number[]
  readonly fromUs: number
  readonly untilUs: number
  readonly text: string
}

/**
 * `primary`: a server takes itself for one; `handling`: a message is worked on; `record`: a key is
 * there, by the server's clock; `lease`: a process was told so, by its own clock.
 */
export interface Bar {
  readonly kind: 'primary' | 'replica' | 'handling' | 'record' | 'lease'
  readonly lane: number
  readonly fromUs: number
  readonly untilUs: number
  readonly text: string
  /** The key in Redis of a record or a lease. */
  readonly key?: string
  /**
   * The lane of who wrote a record, where a consumer did, here or on the server that it was copied
   * from.
   */
  readonly by?: number
  /**
   * Of a lease that ended by its holder's clock, not sooner by the end of the work or by the holder
   * itself.
   */
  readonly lapses?: true
  /** The event with which work begins. */
  readonly seq?: number
  /** Work on a message of another key than the one in view. */
  readonly aside?: true
}

/** From then on a server has that under the key. */
export interface StoredKey {
  readonly seq: number
  readonly atUs: number
  readonly lane: number
  readonly key: string
  /** Null: nothing. */
  readonly value: string | null
  /**
   * When it expires, by the server's clock, as the world's time; null for never, or not while the
   * run lasted.
   */
  readonly untilUs: number | null
  /** The lane of who wrote it, as of a record's bar. */
  readonly by?: number
}

/**
 * From then on a process takes something for so. What it has asked and heard is not among them:
 * messages tell it.
 */
export interface Belief {
  readonly seq: number
  readonly atUs: number
  readonly lane: number
  /**
   * What it is about: `state`, `handling`, `holds <key>`; `asked` and `heard` where what it had
   * heard is gone.
   */
  readonly about: string
  /** Null: no longer anything. */
  readonly text: string | null
}

export interface ClockReading {
  readonly atUs: number
  readonly lane: number
  readonly aheadUs: number
  /** Microseconds of the clock in one second of the world's. */
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
  /** What it shows: the layer under the scenario. */
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
  /** Between which told events others were folded, and what stands for them. */
  readonly folds: readonly { readonly afterSeq: number; readonly text: string }[]
  /** What came of it, and what should have. */
  readonly ending: readonly string[]
}

/**
 * What a page draws of a finding, or of a replay: its run, and beside it the nearest one that
 * holds.
 */
export interface Picture {
  readonly implementation: string
  readonly sink: SinkKind
  /** The finding's id; null for a replay. */
  readonly finding: string | null
  /** Of a replay: the violation that it shows; absent where the run holds. */
  readonly shows?: { readonly invariant: InvariantName; readonly kind: string }
  readonly timeline: Timeline
  readonly nearestPassing?: {
    /** What is otherwise in it. */
    readonly what: string
    /** The command for it; empty where neither a token nor a file holds the run. */
    readonly replay: string
    readonly timeline: Timeline
  }
}
