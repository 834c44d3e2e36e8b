/** What a worker thread does with one task; loaded in workers only. */
import { Tinypool } from 'tinypool'
import { localCrew } from '../campaign/local-crew.ts'
import { oneAtATime } from '../campaign/one-at-a-time.ts'
import { sendable } from '../campaign/sent-error.ts'
import { realWorkbench } from './real-workbench.ts'
import type { WorkerAnswer, WorkerData, WorkerTask } from './worker-protocol.ts'

const { stopFlag } = Tinypool.workerData as WorkerData
const crew = localCrew(
  realWorkbench(() => Atomics.load(stopFlag, 0) !== 0),
  oneAtATime(),
)

export async function takeTask({ kind, task }: WorkerTask): Promise<WorkerAnswer> {
  try {
    return { ok: true, value: kind === 'chunk' ? await crew.runChunk(task) : await crew.shrink(task) }
  } catch (error) {
    return { ok: false, ...sendable(error) }
  }
}
