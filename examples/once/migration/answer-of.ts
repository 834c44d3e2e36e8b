/** The answer of a consumer to the broker of Onceproof. */
import type { Outcome } from 'onceproof'
import type { RunOutcome } from 'onceproof/once'
import { OldConsumerHasIt } from './beside-old.ts'

type Result = Extract<Outcome, { readonly status: 'done' }>['result']

/** `patienceMs`: longer than an old consumer can take. */
export async function answerOf(outcome: RunOutcome<Result>, patienceMs: number): Promise<Outcome> {
  switch (outcome.status) {
    case 'done':
      return { status: 'done', result: outcome.result }
    case 'refused':
      return { status: 'refused', error: outcome.error }
    case 'retry':
      if (outcome.cause instanceof OldConsumerHasIt)
        return outcome.cause.forMs < patienceMs
          ? { status: 'retry', reason: 'an old consumer has it' }
          : { status: 'dead-letter', reason: 'in-doubt: an old consumer has told nothing' }
      await new Promise((resolve) => setTimeout(resolve, outcome.retryAfterMs))
      return { status: 'retry', reason: outcome.reason }
    default:
      return {
        status: 'dead-letter',
        reason: 'reason' in outcome ? `${outcome.status}: ${outcome.reason}` : outcome.status,
      }
  }
}
