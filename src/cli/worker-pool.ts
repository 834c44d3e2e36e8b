import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Tinypool } from 'tinypool'
import type { Executor } from '../campaign/executor.ts'
import { revive } from '../campaign/sent-error.ts'
import { compiledFolder } from './compiled.ts'
import type { PlayBoard } from './play-board.ts'
import type { WorkerAnswer, WorkerData, WorkerTask } from './worker-task.ts'

const fromSources = fileURLToPath(new URL('worker.mjs', import.meta.url))

/** Executes tasks on worker threads. Each thread loads scenarios and implementations itself, by path. */
export function workerPool(workers: number, stopFlag: Int32Array<SharedArrayBuffer>, board: PlayBoard): Executor {
  const pool = new Tinypool({
    filename: compiledFolder === null ? fromSources : path.join(compiledFolder, 'src.cli.worker-task.js'),
    name: 'takeTask',
    minThreads: workers,
    maxThreads: workers,
    isolateWorkers: false,
    workerData: { stopFlag, board } satisfies WorkerData,
  })
  const ask = async (task: WorkerTask): Promise<never> => {
    const answer: WorkerAnswer = await pool.run(task)
    if (!answer.ok) throw revive(answer)
    return answer.value as never
  }
  return {
    // One chunk more for each worker, so that none waits for the next.
    size: workers * 2,
    runChunk: (task) => ask({ kind: 'chunk', task }),
    shrink: (task) => ask({ kind: 'shrink', task }),
    close: () => pool.destroy(),
  }
}
