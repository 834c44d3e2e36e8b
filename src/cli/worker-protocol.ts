/** What passes between the main thread and its workers. */

import type { SentError } from '../campaign/sent-error.ts'
import type { ChunkTask, ShrinkTask } from '../campaign/tasks.ts'

export type WorkerTask =
  | { readonly kind: 'chunk'; readonly task: ChunkTask }
  | { readonly kind: 'shrink'; readonly task: ShrinkTask }

export type WorkerAnswer = { readonly ok: true; readonly value: unknown } | ({ readonly ok: false } & SentError)

/** What all workers of a executor share. */
export interface WorkerData {
  readonly stopFlag: Int32Array<SharedArrayBuffer>
}
