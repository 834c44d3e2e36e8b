/**
 * The recorded schedule of a run: a sequence of steps that a live run follows, so that its course
 * does not depend on chance.
 */

import type { StoreKind } from '../api/store.ts'
import type { Knows, Otherwise, Step } from './step.ts'

/** A step with what the simulator recorded about it. */
export interface ScheduleStep {
  readonly step: Step
  /** Virtual microseconds on the clock of the simulation. */
  readonly atUs: number
  /** The number of events in the history before the step. */
  readonly seq: number
  /** Redis keys that the command of the step found expired. */
  readonly expired: readonly string[]
  /**
   * The lifetimes of the keys in `expired`. There are fewer entries than keys if some lifetimes are
   * unknown.
   */
  readonly lifetimes?: readonly Lifetime[]
  /**
   * The command of the step changed data. For PostgreSQL: it read the time, and so may have stored
   * the time.
   */
  readonly wrote: boolean
  /**
   * The command of the step, or the script that it called, read Redis's time, or the age or time to
   * live of a key. For PostgreSQL: it read the time, or began a transaction whose statements read
   * the time at which the transaction began.
   */
  readonly clocked: boolean
  /** The server that executed the command, if there are several servers. */
  readonly server: string | null
  /**
   * The connection to a store that causes the step. Two connections of one process may send and
   * receive the same data.
   */
  readonly via?: number
  /** The store other than Redis that executed or answered the command. */
  readonly store?: StoreKind
}

/**
 * The period in which a Redis key had its time to live, in virtual microseconds on the clock of the
 * simulation.
 */
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

/** One of several servers is restarted after a crash. */
export interface Return {
  readonly server: string
  /** The keys that the server still has with the values that they had when it crashed. */
  readonly kept: readonly string[]
  /** The server has older versions of some keys. */
  readonly isOlder: boolean
  /** The number of events in the history at that time. */
  readonly seq: number
}

/** The machine of a process gives up a half-open connection. */
export interface GaveUp {
  readonly process: string
  /** The number of events in the history at that time. */
  readonly seq: number
}

export interface Schedule {
  readonly steps: readonly ScheduleStep[]
  readonly draws: readonly Draw[]
  readonly returns: readonly Return[]
  /** Cluster only: the steps by which its nodes reached their views at the beginning of the run. */
  readonly known?: readonly Knows[]
  /**
   * With several servers, the server that was written to last before the run begins: a fault of
   * "the primary" strikes in the shard of that server. Absent: no server was written to.
   */
  readonly deployedTo?: string
  /** The half-open connections that machines gave up. Absent: none was given up. */
  readonly gaveUp?: readonly GaveUp[]
  /**
   * By process, the numbers that the process drew with `Math.random`, in order. Absent: no process
   * drew any.
   */
  readonly chances?: Readonly<Record<string, readonly number[]>>
  /**
   * Labels of scripts, by the beginning of their SHA-1. A process that has not seen the body of a
   * script uses the SHA-1 in its label.
   */
  readonly scriptLabels: Readonly<Record<string, string>>
}

/** Replaces the SHA-1 in a label by the name of the script, if that is known. */
export function withScriptLabels(label: string, { scriptLabels }: Pick<Schedule, 'scriptLabels'>): string {
  return label.replace(/EVALSHA ([0-9a-f]{8})\b/, (whole, sha: string) => scriptLabels[sha] ?? whole)
}

/** The point at which a live run left its schedule. */
export interface ScheduleDivergence {
  /** The number of the step, counted from 1. */
  readonly step: number
  readonly expected: Step
  /** The step that happened instead; null if none happened. */
  readonly seen: Step | Otherwise | null
}

/** A command that a real Redis executed for a consumer. */
export interface LiveCommand {
  readonly process: string
  readonly label: string
  /** The number of events in the history at that time. */
  readonly seq: number
  /** The whole command, one character per byte. */
  readonly args: readonly string[]
  /** The RESP bytes, one character per byte. */
  readonly reply: string
  /**
   * By how many milliseconds the run was behind its schedule, and Redis's clock ahead of the
   * schedule, when the command was sent and when its reply arrived. The command was executed
   * between these two times.
   */
  readonly lateMs: { readonly left: number; readonly answered: number }
}

/** How a live run followed its schedule. */
export interface Followed {
  /** The number of steps taken, and of all steps. */
  readonly taken: number
  readonly of: number
  readonly left: ScheduleDivergence | null
  /** The maximum delay behind its schedule, in milliseconds. */
  readonly lateMs: number
  readonly executed: readonly LiveCommand[]
  /**
   * The texts of errors with which PostgreSQL ended a statement, transaction or session because of
   * a timeout.
   */
  readonly cutShort: readonly string[]
}
