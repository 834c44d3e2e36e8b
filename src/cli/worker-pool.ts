import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Tinypool } from 'tinypool'
import { EndlessTurn } from '../campaign/play/endless-turn.ts'
import type { Counterexample, End, Executor } from '../campaign/play/executor.ts'
import type { RunTraffic } from '../campaign/play/run-traffic.ts'
import { revive } from '../campaign/play/sent-error.ts'
import type { Tally } from '../campaign/tally/tally.ts'
import { compiledFolder } from './compiled.ts'
import { endOfSearch, ShareOut } from './share-out.ts'
import type { StatusTable } from './status-table.ts'
import type { PoolTasks } from './watchdog.ts'
import type { WorkerAnswer, WorkerData, WorkerTask } from './worker-task.ts'

const fromSources = fileURLToPath(new URL('worker.mjs', import.meta.url))

/**
 * The size of V8's young generation, in MB. A run creates many short-lived objects. With half of
 * this size, V8 copies more of them, and a campaign uses a tenth more CPU; with twice the size
 * there is no gain.
 */
const youngGenerationMb = 96

let threadsStarted = 0

/**
 * Executes tasks on worker threads. Each thread loads scenarios and implementations itself, by
 * path.
 */
export function workerPool(
  workers: number,
  stopFlag: Int32Array<SharedArrayBuffer>,
  statusTable: StatusTable,
  poolTasks: PoolTasks = new Map(),
): Executor {
  // One pool for each thread, because `ShareOut` decides which thread plays a task.
  const threads = Array.from({ length: workers }, () => {
    const thread = ++threadsStarted
    const pool = new Tinypool({
      filename: compiledFolder === null ? fromSources : path.join(compiledFolder, 'src.cli.worker-task.js'),
      name: 'takeTask',
      minThreads: 1,
      maxThreads: 1,
      isolateWorkers: false,
      resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
      workerData: { stopFlag, statusTable, thread } satisfies WorkerData,
    })
    return { thread, pool }
  })
  const shareOut = new ShareOut(threads)
  const ask = async (task: WorkerTask, end?: End): Promise<never> => {
    const answer: WorkerAnswer = await shareOut.give(end, ({ thread, pool }) => {
      const stuck = new AbortController()
      poolTasks.set(thread, stuck)
      return pool
        .run(task, { signal: stuck.signal })
        .catch((error: unknown) => Promise.reject(stuck.signal.reason ?? error))
        .finally(() => poolTasks.delete(thread))
    })
    if (!answer.ok) throw revive(answer)
    return answer.value as never
  }
  return {
    // Two chunks for each worker, so that no worker waits for its next chunk.
    size: workers * 2,
    ...(workers > 1 && { bothEnds: true }),
    runChunk: (task, end) =>
      unlessEndless<Tally>(ask({ kind: 'chunk', task }, end), async (error) => {
        if (error.run === task.from) throw error
        const tally: Tally = await ask({ kind: 'chunk', task: { ...task, to: error.run } }, end)
        // Violations before the blocked run count even if the layer cannot be judged further.
        if (tally.paths.size === 0) throw error
        return Object.assign(tally, { unusable: error.message })
      }),
    shrink: (task) =>
      unlessEndless<Counterexample>(ask({ kind: 'shrink', task }, endOfSearch(task)), async () => {
        const asDrawn = { ...task, budget: 0, alone: true } as const
        const found: Counterexample = await ask({ kind: 'shrink', task: asDrawn }, endOfSearch(task))
        // The budget is marked as spent, because each further search of this kind would take a
        // minute.
        return { ...found, spent: task.budget }
      }),
    // After a blocked run, fewer runs are compared with real servers; findings do not depend on
    // this.
    traffic: (task, runs, end) =>
      unlessEndless<RunTraffic[]>(ask({ kind: 'traffic', task, runs }, end), async () => []),
    explore: (task) => ask({ kind: 'explore', task }),
    close: async () => void (await Promise.all(threads.map(({ pool }) => pool.destroy()))),
  }
}

function unlessEndless<Answer>(
  asked: Promise<Answer>,
  instead: (error: EndlessTurn) => Promise<Answer>,
): Promise<Answer> {
  return asked.catch((error: unknown) => (error instanceof EndlessTurn ? instead(error) : Promise.reject(error)))
}
