/**
 * The recorded schedule of a run: an order of steps that a live run follows, so that nothing of it
 * is luck.
 */

import type { StoreKind } from '../api/store.ts'
import type { Knows, Otherwise, Step } from './step.ts'

/** A step with what the simulator noted about it. */
export interface ScheduleStep {
  readonly step: Step
  /** Virtual microseconds on the world's clock. */
  readonly atUs: number
  /** The number of events in the history before the step. */
  readonly seq: number
  /** Redis keys that its command found expired. */
  readonly expired: readonly string[]
  /** How long they lived. Fewer than the keys: of the others it is not known. */
  readonly lifetimes?: readonly Lifetime[]
  /** Its command changed data; of PostgreSQL, it was told the time and may have written it down. */
  readonly wrote: boolean
  /**
   * Its command, or the script that it called, asked for Redis's time, or for how long a key has
   * been or will be there. Of PostgreSQL: it was told the time, or its transaction began, whose
   * statements are told when.
   */
  readonly clocked: boolean
  /** The server that executed its command, where there are several. */
  readonly server: string | null
  /**
   * By which connection to a store it comes about: two of one process may say the same, and hear
   * the same.
   */
  readonly via?: number
  /** The store beside Redis that executed its command, or answered it. */
  readonly store?: StoreKind
}

/** A Redis key had its time to live in between: virtual microseconds on the world's clock. */
export interface Lifetime {
  readonly fromUs: number
  readonly untilUs: number
}

/** A number that the runner drew. */
export interface Draw {
  readonly stream: string
  readonly what: string
  readonly n: number
  readonly chosen: number
}

/** A server of several that had died is started again. */
export interface Return {
  readonly server: string
  /** Keys that it has as it had them when it died. */
  readonly kept: readonly string[]
  /** It has some of them as they were before. */
  readonly isOlder: boolean
  /** How many events the history had by then. */
  readonly seq: number
}

/** A process's machine gives up a connection that was forgotten on its way. */
export interface GaveUp {
  readonly process: string
  /** How many events the history had by then. */
  readonly seq: number
}

export interface Schedule {
  readonly steps: readonly ScheduleStep[]
  readonly draws: readonly Draw[]
  readonly returns: readonly Return[]
  /**
   * Of a Cluster: the steps in which its nodes had come to believe what they do when the run
   * begins.
   */
  readonly known?: readonly Knows[]
  /**
   * The server, of several, that was written to last before the run begins: a fault of "the
   * primary" strikes in its shard. Absent: none.
   */
  readonly deployedTo?: string
  /** Absent: no connection was given up. */
  readonly gaveUp?: readonly GaveUp[]
  /** By process: what it drew with `Math.random`, in order. Absent: nobody drew. */
  readonly chances?: Readonly<Record<string, readonly number[]>>
  /**
   * Labels of scripts, by the beginning of their SHA-1: a process that has not seen a script's body
   * calls it by that.
   */
  readonly scriptLabels: Readonly<Record<string, string>>
}

/** A label, as it is if the script's body is known. */
export function withScriptLabels(label: string, { scriptLabels }: Pick<Schedule, 'scriptLabels'>): string {
  return label.replace(/EVALSHA ([0-9a-f]{8})\b/, (whole, sha: string) => scriptLabels[sha] ?? whole)
}

/** The point at which a live run left its schedule. */
export interface ScheduleDivergence {
  /** The number of the step, counted from 1. */
  readonly step: number
  readonly expected: Step
  /** What came instead; null if nothing came. */
  readonly seen: Step | Otherwise | null
}

/** A command that a real Redis executed for a consumer. */
export interface LiveCommand {
  readonly process: string
  readonly label: string
  /** How many events the history had by then. */
  readonly seq: number
  /** The whole command, a byte a character. */
  readonly args: readonly string[]
  /** As it came, in RESP, a byte a character. */
  readonly reply: string
  /**
   * By how many milliseconds the run was behind its schedule, and so Redis's clock ahead: it was
   * executed in between.
   */
  readonly lateMs: { readonly left: number; readonly answered: number }
}

/** How a live run followed its schedule. */
export interface Followed {
  /** Steps that were taken, of so many. */
  readonly taken: number
  readonly of: number
  readonly left: ScheduleDivergence | null
  /** By how many milliseconds it was behind its schedule at most. */
  readonly lateMs: number
  readonly executed: readonly LiveCommand[]
  /** What PostgreSQL ended by its own clock, in its words. */
  readonly cutShort: readonly string[]
}
