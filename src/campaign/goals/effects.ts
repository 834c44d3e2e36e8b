/** Goals about the outcome of requests to the sink. */
import { indexHistory } from '../../contract/api/history-index.ts'
import type { Goal } from './goal.ts'

export const effectGoals: readonly Goal[] = [
  {
    name: 'an-effect-was-in-doubt',
    about: 'An effect was applied, but its caller got an error or was gone before the answer.',
    notOn: { sinks: ['transactional'], because: 'its rows are in the store, and in doubt with their COMMIT' },
    reached: (history) =>
      [...indexHistory(history).requests.values()].some(
        ({ applied, answered, cutShort }) => applied && (answered?.answer === 'error' || cutShort !== undefined),
      ),
  },
  {
    name: 'an-effect-was-taken-back',
    about: 'The sink received a cancellation of an effect that it had applied.',
    needs: 'compensation',
    reached: (history) =>
      indexHistory(history)
        .of('effect-cancelled')
        .some(({ effects }) => effects.length > 0),
  },
  {
    name: 'an-effect-failed-before-it-was-applied',
    about: 'A caller got an error or a refusal, and its effect was never applied.',
    reached: (history) =>
      [...indexHistory(history).requests.values()].some(
        ({ applied, deduplicated, answered }) =>
          !applied && !deduplicated && answered !== undefined && answered.answer !== 'receipt',
      ),
  },
]
