import type { Counterexample } from './counterexample.ts'
import type { Tally } from './tally.ts'
import type { ChunkTask, ShrinkTask } from './tasks.ts'

/**
 * Executes campaign tasks, inline, on a worker pool or on a fleet. A result depends only on its task, so that results
 * do not depend on the number of workers.
 */
export interface Executor {
  /** How many tasks are worth having under way at once. */
  readonly size: number
  runChunk(task: ChunkTask): Promise<Tally>
  shrink(task: ShrinkTask): Promise<Counterexample>
  close(): Promise<void>
}
