/** What a worker thread does with one task, and what passes between it and the main thread. Loaded in workers only. */
import { Tinypool } from 'tinypool'
import { inlineExecutor, oneAtATime } from '../campaign/inline-executor.ts'
import { type SentError, sendable } from '../campaign/sent-error.ts'
import type { ChunkTask, ShrinkTask } from '../campaign/tasks.ts'
import { createDeps } from './create-deps.ts'
import { type PlayBoard, takeSeat } from './play-board.ts'

export type WorkerTask =
  | { readonly kind: 'chunk'; readonly task: ChunkTask }
  | { readonly kind: 'shrink'; readonly task: ShrinkTask }

export type WorkerAnswer = { readonly ok: true; readonly value: unknown } | ({ readonly ok: false } & SentError)

/** What all workers of a pool share. */
export interface WorkerData {
  readonly stopFlag: Int32Array<SharedArrayBuffer>
  readonly board: PlayBoard
}

const { stopFlag, board } = Tinypool.workerData as WorkerData
const executor = inlineExecutor(
  createDeps(() => Atomics.load(stopFlag, 0) !== 0, takeSeat(board)),
  oneAtATime(),
)

export async function takeTask({ kind, task }: WorkerTask): Promise<WorkerAnswer> {
  try {
    return { ok: true, value: kind === 'chunk' ? await executor.runChunk(task) : await executor.shrink(task) }
  } catch (error) {
    return { ok: false, ...sendable(error) }
  }
}
