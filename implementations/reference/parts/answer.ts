/** What an outcome of the reference layer means to the harness's broker. */
import type { Outcome } from '../../../src/contract/message.ts'
import type { EffectResult } from '../../../src/contract/sink.ts'
import type { RunOutcome } from '../../../src/impl/once.ts'

/**
 * What is in doubt, and a key that comes again with another payload, is parked; a `retry` first waits as long as the layer
 * advises, because the broker of the contract cannot be told when to deliver again.
 */
export async function answer(outcome: RunOutcome<EffectResult>): Promise<Outcome> {
  switch (outcome.status) {
    case 'done':
      return { status: 'done', result: outcome.result }
    case 'refused':
      return { status: 'refused', error: outcome.error }
    case 'retry':
      await new Promise((resolve) => setTimeout(resolve, outcome.retryAfterMs))
      return { status: 'retry', reason: outcome.reason }
    case 'in-doubt':
      return { status: 'park', reason: `in-doubt: ${outcome.reason}` }
    case 'failed':
      return { status: 'park', reason: `failed: ${outcome.attempts} attempts` }
    case 'conflict':
      return { status: 'park', reason: 'key-reused' }
  }
}
