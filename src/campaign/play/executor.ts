import type { RiskName } from '../../contract/api/risk.ts'
import type { LiveReplayViolation, ReasonUnsaid } from '../../contract/results/live-replay.ts'
import type { Cause } from '../../contract/results/results.ts'
import type { Timeline } from '../../contract/results/timeline.ts'
import type { ReportedViolation } from '../causes/reported-violation.ts'
import type { Tally } from '../tally/tally.ts'
import type { RecordedRun } from '../token/token.ts'
import type { RunTraffic } from './run-traffic.ts'
import type { ChunkTask, PairTask, ShrinkTask } from './tasks.ts'

/**
 * Which end of a campaign's pairs, sorted by cost, a chunk is from. Code that a thread has compiled
 * for one kind of world is of little use in another: so some workers go from the cheap end on and
 * some from the dear one, and few play both kinds.
 */
export type End = 'cheap' | 'dear'

/**
 * Executes campaign tasks, inline, on a worker pool or on a fleet. A result depends only on its
 * task, so that results do not depend on the number of workers.
 */
export interface Executor {
  /** How many tasks are worth having under way at once. */
  readonly size: number
  /** Half of the workers go from the dear end on. */
  readonly bothEnds?: true
  /** `end`: a worker that goes from there on plays it, if one can be had. */
  runChunk(task: ChunkTask, end?: End): Promise<Tally>
  shrink(task: ShrinkTask): Promise<Counterexample>
  /**
   * Runs once more, with what their stores were asked; absent where the asker's own thread is to
   * play them.
   */
  traffic?(task: PairTask, runs: readonly number[], end?: End): Promise<RunTraffic[]>
  close(): Promise<void>
}

export interface Counterexample extends ReportedViolation {
  readonly cause: Cause
  /** A layer that accepts these risks is excused. Absent: none excuses it. */
  readonly acceptable?: readonly RiskName[]
  /** True if it is smaller than the drawn run, or the whole search found no smaller one. */
  readonly shrunk: boolean
  /** Null if no finding shows it. */
  readonly timeline: Timeline | null
  /** The nearest passing run. Absent if the search did not look for it. */
  readonly nearestPassing?: RecordedPassing
  /** The run, or one like it that takes less time, on real servers. Absent: it was not asked. */
  readonly onServers?: OnServers
  /** Events that the searches played. */
  readonly spent: number
}

/** `recorded` and `timeline` are null if `what` gives the reason for having none. */
export interface RecordedPassing {
  readonly what: string
  readonly recorded: RecordedRun | null
  readonly timeline: Timeline | null
}

/** A run that breaks so, with its milliseconds on real servers; or why it cannot be made. */
export type OnServers =
  | { readonly recorded: RecordedRun; readonly breaks: LiveReplayViolation; readonly ms: number }
  | { readonly reason: ReasonUnsaid; readonly what: string | null }
