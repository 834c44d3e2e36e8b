import type { RiskName } from '../../contract/api/risk.ts'
import type { LiveReplayViolation, ReasonUnsaid } from '../../contract/results/live-replay.ts'
import type { Cause } from '../../contract/results/results.ts'
import type { Timeline } from '../../contract/results/timeline.ts'
import type { ReportedViolation } from '../causes/reported-violation.ts'
import type { Tally } from '../tally/tally.ts'
import type { RecordedRun } from '../token/token.ts'
import type { Explored, ExploreTask } from './explore-tasks.ts'
import type { RunTraffic } from './run-traffic.ts'
import type { ChunkTask, PairTask, ShrinkTask } from './tasks.ts'

/**
 * The end of the sorted list of pairs from which a chunk comes. Pairs are sorted by cost.
 * JIT-compiled code for one kind of world helps little in another. So half of the workers start at
 * the cheap end and half at the expensive end, and only few workers play both kinds.
 */
export type End = 'cheap' | 'dear'

/**
 * Executes campaign tasks inline, on a worker pool or on a fleet. A result depends only on its
 * task, and not on the number of workers.
 */
export interface Executor {
  /** The number of tasks to have in flight at once. */
  readonly size: number
  /** True if half of the workers should start at the expensive end. */
  readonly bothEnds?: true
  /** Plays a chunk. `end`: prefers a worker that started at this end. */
  runChunk(task: ChunkTask, end?: End): Promise<Tally>
  shrink(task: ShrinkTask): Promise<Counterexample>
  /**
   * Plays runs again and returns the traffic of their stores. Absent if the caller must play them
   * in its own thread.
   */
  traffic?(task: PairTask, runs: readonly number[], end?: End): Promise<RunTraffic[]>
  /** Plays all orders of one placement of faults. */
  explore(task: ExploreTask): Promise<Explored>
  close(): Promise<void>
}

export interface Counterexample extends ReportedViolation {
  readonly cause: Cause
  /** Risks whose acceptance excuses this violation. Absent: no risk does. */
  readonly acceptable?: readonly RiskName[]
  /** True if the run is smaller than the drawn run, or if a full search found no smaller run. */
  readonly shrunk: boolean
  /** The scenario of the drawn run. Absent if `recorded` has the same scenario. */
  readonly drawnIn?: string
  /** Null if no finding shows this run. */
  readonly timeline: Timeline | null
  /** The nearest passing run; absent if the search did not look for it. */
  readonly nearestPassing?: RecordedPassing
  /** The run on real servers, or a similar faster run. Absent if no search for it was made. */
  readonly onServers?: OnServers
  /** The number of events that the searches played. */
  readonly spent: number
}

/** `recorded` and `timeline` are null if there is no such run; `what` is then the reason. */
export interface RecordedPassing {
  readonly what: string
  readonly recorded: RecordedRun | null
  readonly timeline: Timeline | null
}

/**
 * A run with this violation, and its duration in milliseconds on real servers; or why there is no
 * such run.
 */
export type OnServers =
  | { readonly recorded: RecordedRun; readonly breaks: LiveReplayViolation; readonly ms: number }
  | { readonly reason: ReasonUnsaid; readonly what: string | null }
