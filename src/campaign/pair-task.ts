import type { PairChoice } from './campaign-request.ts'
import type { PairTask } from './executor.ts'

/** What of a choice says which runs are played: not its past failures, nor what it costs. */
export function pairTask(
  { corpus: _, runMs: __, ...names }: PairChoice,
  { seed, fresh }: Pick<PairTask, 'seed' | 'fresh'>,
): PairTask {
  return { ...names, seed, fresh }
}
