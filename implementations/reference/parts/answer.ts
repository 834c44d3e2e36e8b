/** Translates outcomes of the reference layer for the harness's broker. */
import type { Outcome } from '../../../src/contract/api/message.ts'
import type { EffectResult } from '../../../src/contract/api/sink.ts'
import type { RunOutcome } from '../../../src/impl/once.ts'

/**
 * Doubts, and a key that is reused with another payload, are dead-lettered. A key that another
 * attempt holds is redelivered as soon as the layer advises; after any other `retry`, the consumer
 * itself waits for that long.
 */
export async function answer(outcome: RunOutcome<EffectResult>): Promise<Outcome> {
  switch (outcome.status) {
    case 'done':
      return { status: 'done', result: outcome.result }
    case 'done-unkept':
      return { status: 'done', result: null }
    case 'refused':
      return { status: 'refused', error: outcome.error }
    case 'retry':
      if (outcome.reason === 'held') return { status: 'retry', reason: 'held', afterMs: outcome.retryAfterMs }
      await new Promise((resolve) => setTimeout(resolve, outcome.retryAfterMs))
      return { status: 'retry', reason: outcome.reason }
    case 'in-doubt':
      return { status: 'dead-letter', reason: `in-doubt: ${outcome.reason}` }
    case 'failed':
      return { status: 'dead-letter', reason: `failed: ${outcome.attempts} attempts` }
    case 'conflict':
      return { status: 'dead-letter', reason: 'key-reused' }
  }
}
