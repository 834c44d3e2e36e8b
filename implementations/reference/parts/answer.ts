/** What an outcome of the reference layer means to the harness's broker. */
import type { Outcome } from '../../../src/contract/api/message.ts'
import type { EffectResult } from '../../../src/contract/api/sink.ts'
import type { RunOutcome } from '../../../src/impl/once.ts'

/**
 * What is in doubt, and a key that comes again with another payload, is dead-lettered. A key that
 * another attempt holds is to come again as soon as the layer advises; where something is wrong,
 * the consumer itself waits for so long.
 */
export async function answer(outcome: RunOutcome<EffectResult>): Promise<Outcome> {
  switch (outcome.status) {
    case 'done':
      return { status: 'done', result: outcome.result }
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
