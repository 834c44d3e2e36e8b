/** Layers that mark a key before its effect, and never take over a mark. */
import type { Message, Outcome } from '../../../../src/contract/api/message.ts'
import type { EffectResult } from '../../../../src/contract/api/sink.ts'

export interface Mark {
  readonly owner: string
  readonly of: string
  readonly result?: EffectResult
}

/** The answer to a key that another attempt has marked. `ageMs`: the age of that mark. */
export function answerOf(found: Mark, { payload }: Message, ageMs: number, leaseMs: number): Outcome {
  if (found.of !== JSON.stringify(payload)) return { status: 'dead-letter', reason: 'key-reused' }
  if (found.result !== undefined) return { status: 'done', result: found.result }
  if (ageMs < 3 * leaseMs) return { status: 'retry', reason: 'at work' }
  return { status: 'dead-letter', reason: 'in-doubt' }
}
