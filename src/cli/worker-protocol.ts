/** What passes between the main thread and its workers. Errors travel as data: a thread boundary takes their class away. */
import type { ChunkTask, ShrinkTask } from '../campaign/crew.ts'
import { LeakError, NondeterminismError } from '../campaign/nondeterminism.ts'
import { LoadError } from '../sim/runtime/load-implementation.ts'

export type WorkerTask =
  | { readonly kind: 'chunk'; readonly task: ChunkTask }
  | { readonly kind: 'shrink'; readonly task: ShrinkTask }

export type WorkerAnswer = { readonly ok: true; readonly value: unknown } | ({ readonly ok: false } & SentError)

interface SentError {
  readonly name: string
  readonly message: string
  readonly culprit: string
  readonly remedy: string
}

/** What all workers of a crew share. */
export interface WorkerData {
  readonly stopFlag: Int32Array<SharedArrayBuffer>
}

export function sendable(error: unknown): SentError {
  const { name, message, culprit = '', remedy = '' } = error as LoadError
  return { name, message, culprit, remedy }
}

export function revive({ name, message, culprit, remedy }: SentError): Error {
  if (name === 'LoadError') return new LoadError(culprit, remedy)
  if (name === 'LeakError') return new LeakError(message)
  return name === 'NondeterminismError' ? new NondeterminismError(message) : new Error(message)
}
