import type { Executor } from '../play/executor.ts'
import type { ChunkTask, PairTask } from '../play/tasks.ts'
import type { Tally } from '../tally/tally.ts'
import { LeakError } from '../token/nondeterminism.ts'

/** Plays a pair, as one chunk, until a run violates an invariant. */
export async function firstBreak(
  pair: Omit<ChunkTask, 'from' | 'to' | 'bail'>,
  mostRuns: number,
  executor: Pick<Executor, 'runChunk'>,
): Promise<{ readonly task: PairTask; readonly tally: Tally }> {
  const task = { ...pair, from: 0, to: mostRuns, bail: true }
  return { task, tally: await executor.runChunk(task) }
}

/**
 * Calls `play`. If it throws a `LeakError`, calls it again with `fresh`, so that the layer's
 * modules are loaded again for every run.
 */
export async function freshAfterLeak<T>(play: (fresh: boolean) => Promise<T>): Promise<T> {
  try {
    return await play(false)
  } catch (error) {
    if (!(error instanceof LeakError)) throw error
    return play(true)
  }
}
