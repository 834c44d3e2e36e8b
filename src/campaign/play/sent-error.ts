/** Errors as plain data: threads and queues do not preserve the class of an error. */
import { LoadError } from '../../sim/adapters/load-implementation.ts'
import { LeakError, NondeterminismError } from '../token/nondeterminism.ts'

export interface SentError {
  readonly name: string
  readonly message: string
  readonly culprit: string
  readonly remedy: string
  /** Set only for a `LoadError`. */
  readonly kind?: LoadError['kind']
}

export function sendable(error: unknown): SentError {
  const { name, message, culprit = '', remedy = '' } = error as LoadError
  const sent = { name, message, culprit, remedy }
  return error instanceof LoadError ? { ...sent, kind: error.kind } : sent
}

export function revive({ name, message, culprit, remedy, kind }: SentError): Error {
  if (name === 'LoadError') return new LoadError(culprit, remedy, kind)
  if (name === 'LeakError') return new LeakError(message)
  return name === 'NondeterminismError' ? new NondeterminismError(message) : new Error(message)
}
