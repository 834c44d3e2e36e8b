/** The commands that replay a run, as people paste them. */
import type { PairName } from './pair-ref.ts'
import type { RecordedRun } from './token.ts'

export function replayByToken(token: string): string {
  return `pnpm sim replay ${token}`
}

/** For a run as a campaign drew it. */
export function replayByAddress({
  seed,
  run,
  implementation,
  scenario,
  sink,
}: PairName & Pick<RecordedRun, 'seed' | 'run'>): string {
  return `pnpm sim replay --seed ${seed} --run ${run} --impl ${implementation} --scenario ${scenario} --sink ${sink}`
}
