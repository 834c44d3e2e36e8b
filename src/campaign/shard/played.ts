/**
 * Records an executor's tasks and results. A result depends only on its task, so a result of one
 * machine can replace work on another.
 */
import { canonicalJson } from '../../contract/api/json.ts'
import type { Counterexample, End, Executor } from '../play/executor.ts'
import type { Explored, ExploreTask } from '../play/explore-tasks.ts'
import type { ChunkTask, ShrinkTask } from '../play/tasks.ts'
import { emptyTally, mergeTally, type Tally } from '../tally/tally.ts'
import type { PairRef } from '../token/pair-ref.ts'

/** The results by task. */
export interface Played {
  readonly chunks: Map<string, Tally>
  readonly shrunk: Map<string, Counterexample>
  readonly explored: Map<string, Explored>
}

export function nothingPlayed(): Played {
  return { chunks: new Map(), shrunk: new Map(), explored: new Map() }
}

/** A key of the task that uses names, because paths differ between machines. */
export function keyOf<T extends PairRef>({ scenarioPath: _, implementationPath: __, ...task }: T): string {
  const { cheaper = [] } = task as Partial<ShrinkTask>
  return canonicalJson({ ...task, cheaper: cheaper.map(({ scenarioName }) => scenarioName) })
}

/** An executor that records the results, except those that the user cut short. */
export function recordingExecutor(executor: Executor, played: Played, stopped: () => boolean): Executor {
  return {
    get size() {
      return executor.size
    },
    async runChunk(task: ChunkTask, end?: End) {
      const tally = await executor.runChunk(task, end)
      if (!stopped()) played.chunks.set(keyOf(task), tally)
      return tally
    },
    async shrink(task: ShrinkTask) {
      const found = await executor.shrink(task)
      if (!stopped()) played.shrunk.set(keyOf(task), found)
      return found
    },
    async explore(task: ExploreTask) {
      const found = await executor.explore(task)
      if (!stopped()) played.explored.set(keyOf(task), found)
      return found
    },
    ...passedOn(executor),
    close: () => executor.close(),
  }
}

/** An executor that returns recorded results, and lets the given executor play the rest. */
export function rememberingExecutor(executor: Executor, { chunks, shrunk, explored }: Played): Executor {
  return {
    get size() {
      return executor.size
    },
    async runChunk(task: ChunkTask, end?: End) {
      const tally = chunks.get(keyOf(task))
      return tally === undefined ? executor.runChunk(task, end) : copyOf(tally)
    },
    async shrink(task: ShrinkTask) {
      return shrunk.get(keyOf(task)) ?? executor.shrink(task)
    },
    async explore(task: ExploreTask) {
      return explored.get(keyOf(task)) ?? executor.explore(task)
    },
    ...passedOn(executor),
    close: () => executor.close(),
  }
}

/**
 * The members of an executor that are passed on unchanged, because their results are not recorded.
 */
function passedOn({ bothEnds, traffic }: Executor): Pick<Executor, 'bothEnds' | 'traffic'> {
  return { ...(bothEnds && { bothEnds }), ...(traffic && { traffic }) }
}

/** A copy, because the caller may add to the tally. */
function copyOf(tally: Tally): Tally {
  const copy = emptyTally()
  mergeTally(copy, tally)
  return copy
}
