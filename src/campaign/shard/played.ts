/**
 * What an executor was asked, and what it answered. An answer depends on its task alone, so that
 * the answers of one machine can replace the work of another.
 */
import { canonicalJson } from '../../contract/api/json.ts'
import type { Counterexample, End, Executor } from '../play/executor.ts'
import type { ChunkTask, PairTask, ShrinkTask } from '../play/tasks.ts'
import { emptyTally, mergeTally, type Tally } from '../tally/tally.ts'

/** Answers by their tasks. */
export interface Played {
  readonly chunks: Map<string, Tally>
  readonly shrunk: Map<string, Counterexample>
}

export function nothingPlayed(): Played {
  return { chunks: new Map(), shrunk: new Map() }
}

/** A task by names, without the places of one machine. */
export function keyOf<T extends PairTask>({ scenarioPath: _, implementationPath: __, ...task }: T): string {
  const { cheaper = [] } = task as Partial<ShrinkTask>
  return canonicalJson({ ...task, cheaper: cheaper.map(({ scenarioName }) => scenarioName) })
}

/** Writes down what the executor answers. What was cut short by the user is no answer. */
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
    ...passedOn(executor),
    close: () => executor.close(),
  }
}

/** Answers what was played elsewhere, and has the executor play the rest. */
export function rememberingExecutor(executor: Executor, { chunks, shrunk }: Played): Executor {
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
    ...passedOn(executor),
    close: () => executor.close(),
  }
}

/** What is neither written down nor remembered. */
function passedOn({ bothEnds, traffic }: Executor): Pick<Executor, 'bothEnds' | 'traffic'> {
  return { ...(bothEnds && { bothEnds }), ...(traffic && { traffic }) }
}

/** The caller may add to the tally that it gets. */
function copyOf(tally: Tally): Tally {
  const copy = emptyTally()
  mergeTally(copy, tally)
  return copy
}
