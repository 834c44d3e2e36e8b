/**
 * Executes tasks in a worker thread, and defines the messages between that thread and the main
 * thread. Only worker threads load it.
 */
import { Tinypool } from 'tinypool'
import { inlineExecutor } from '../campaign/conduct/inline-executor.ts'
import type { ExploreTask } from '../campaign/play/explore-tasks.ts'
import { oneAtATime } from '../campaign/play/one-at-a-time.ts'
import { playTraffic } from '../campaign/play/run-traffic.ts'
import { type SentError, sendable } from '../campaign/play/sent-error.ts'
import type { ChunkTask, PairTask, ShrinkTask } from '../campaign/play/tasks.ts'
import { createDeps } from './create-deps.ts'
import { type StatusTable, takeSlot } from './status-table.ts'

export type WorkerTask =
  | { readonly kind: 'chunk'; readonly task: ChunkTask }
  | { readonly kind: 'shrink'; readonly task: ShrinkTask }
  | { readonly kind: 'explore'; readonly task: ExploreTask }
  | { readonly kind: 'traffic'; readonly task: PairTask; readonly runs: readonly number[] }

export type WorkerAnswer = { readonly ok: true; readonly value: unknown } | ({ readonly ok: false } & SentError)

export interface WorkerData {
  readonly stopFlag: Int32Array<SharedArrayBuffer>
  readonly statusTable: StatusTable
  /** The number of the thread. A thread that replaces it has the same number. */
  readonly thread: number
}

const { stopFlag, statusTable, thread } = Tinypool.workerData as WorkerData
const deps = createDeps(() => Atomics.load(stopFlag, 0) !== 0, takeSlot(statusTable, thread))
const executor = inlineExecutor(deps, oneAtATime())

export async function takeTask(asked: WorkerTask): Promise<WorkerAnswer> {
  try {
    return { ok: true, value: await answerTo(asked) }
  } catch (error) {
    return { ok: false, ...sendable(error) }
  }
}

/**
 * Executes a task. Tasks of one thread do not overlap, because its pool has one thread and gives it
 * one task at a time.
 */
function answerTo(asked: WorkerTask): Promise<unknown> {
  switch (asked.kind) {
    case 'chunk':
      return executor.runChunk(asked.task)
    case 'shrink':
      return executor.shrink(asked.task)
    case 'explore':
      return executor.explore(asked.task)
    case 'traffic':
      return playTraffic(asked.task, asked.runs, deps)
  }
}
