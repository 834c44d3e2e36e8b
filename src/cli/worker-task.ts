/** What a worker thread does with one task; loaded in workers only. */
import { Tinypool } from 'tinypool'
import { inlineExecutor } from '../campaign/inline-executor.ts'
import { oneAtATime } from '../campaign/one-at-a-time.ts'
import { sendable } from '../campaign/sent-error.ts'
import { createDeps } from './create-deps.ts'
import type { WorkerAnswer, WorkerData, WorkerTask } from './worker-protocol.ts'

const { stopFlag } = Tinypool.workerData as WorkerData
const executor = inlineExecutor(
  createDeps(() => Atomics.load(stopFlag, 0) !== 0),
  oneAtATime(),
)

export async function takeTask({ kind, task }: WorkerTask): Promise<WorkerAnswer> {
  try {
    return { ok: true, value: kind === 'chunk' ? await executor.runChunk(task) : await executor.shrink(task) }
  } catch (error) {
    return { ok: false, ...sendable(error) }
  }
}
