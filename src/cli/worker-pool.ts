import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Tinypool } from 'tinypool'
import type { End, Executor } from '../campaign/play/executor.ts'
import { revive } from '../campaign/play/sent-error.ts'
import { compiledFolder } from './compiled.ts'
import { endOfSearch, ShareOut } from './share-out.ts'
import type { StatusTable } from './status-table.ts'
import type { WorkerAnswer, WorkerData, WorkerTask } from './worker-task.ts'

const fromSources = fileURLToPath(new URL('worker.mjs', import.meta.url))

/**
 * Of young objects. A run's are young and many, and the next run's are others: with half of this, V8 copies more of them, at a tenth more
 * CPU for a whole campaign; with twice as much, no less.
 */
const youngMb = 96

/** Executes tasks on worker threads. Each thread loads scenarios and implementations itself, by path. */
export function workerPool(
  workers: number,
  stopFlag: Int32Array<SharedArrayBuffer>,
  statusTable: StatusTable,
): Executor {
  // A pool of one each: which thread plays what is decided here.
  const threads = Array.from({ length: workers }, () => {
    return new Tinypool({
      filename: compiledFolder === null ? fromSources : path.join(compiledFolder, 'src.cli.worker-task.js'),
      name: 'takeTask',
      minThreads: 1,
      maxThreads: 1,
      isolateWorkers: false,
      resourceLimits: { maxYoungGenerationSizeMb: youngMb },
      workerData: { stopFlag, statusTable } satisfies WorkerData,
    })
  })
  const shareOut = new ShareOut(threads)
  const ask = async (task: WorkerTask, end?: End): Promise<never> => {
    const answer: WorkerAnswer = await shareOut.give(end, (thread) => thread.run(task))
    if (!answer.ok) throw revive(answer)
    return answer.value as never
  }
  return {
    // One chunk more for each worker, so that none waits for the next.
    size: workers * 2,
    ...(workers > 1 && { bothEnds: true }),
    runChunk: (task, end) => ask({ kind: 'chunk', task }, end),
    shrink: (task) => ask({ kind: 'shrink', task }, endOfSearch(task)),
    traffic: (task, runs, end) => ask({ kind: 'traffic', task, runs }, end),
    close: async () => void (await Promise.all(threads.map((thread) => thread.destroy()))),
  }
}
