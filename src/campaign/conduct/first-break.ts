import type { Executor } from '../play/executor.ts'
import type { ChunkTask, PairTask } from '../play/tasks.ts'
import type { Tally } from '../tally/tally.ts'
import { LeakError } from '../token/nondeterminism.ts'

/**
 * Plays a pair, as one chunk, until a run violates an invariant. After a `LeakError` it starts
 * again and loads the layer's modules again for every run.
 */
export async function firstBreak(
  pair: Omit<PairTask, 'fresh'>,
  mostRuns: number,
  executor: Pick<Executor, 'runChunk'>,
): Promise<{ readonly task: PairTask; readonly tally: Tally }> {
  const play = async (task: ChunkTask) => ({ task, tally: await executor.runChunk(task) })
  const task = { ...pair, fresh: false, from: 0, to: mostRuns, bail: true }
  try {
    return await play(task)
  } catch (error) {
    if (!(error instanceof LeakError)) throw error
    return play({ ...task, fresh: true })
  }
}
