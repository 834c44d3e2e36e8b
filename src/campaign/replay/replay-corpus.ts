/**
 * Replays past failures of a pair before anything else. Past failures that break again count as
 * violations, but not as runs.
 */

import { type ReportedViolation, wayOf } from '../causes/reported-violation.ts'
import { loadPair } from '../play/load-pair.ts'
import { playAgain, reportViolations } from '../play/play-and-judge.ts'
import type { PairTask } from '../play/tasks.ts'
import { emptyTally, type Tally } from '../tally/tally.ts'
import type { RecordedRun } from '../token/token.ts'
import type { CampaignDeps } from '../types.ts'

export interface CorpusOutcome {
  /** A tally of the invariants only, without runs, effects or goals. */
  readonly tally: Tally
  /** One for each invariant and kind. */
  readonly found: readonly ReportedViolation[]
}

export async function replayCorpus(
  task: PairTask,
  corpus: readonly RecordedRun[],
  deps: CampaignDeps,
): Promise<CorpusOutcome> {
  const pair = await loadPair(task, deps)
  const judged = emptyTally()
  const found = new Map<string, ReportedViolation>()
  for (const recorded of corpus) {
    const played = await playAgain(pair, recorded, judged, deps, { positions: true })
    for (const reported of reportViolations(played, recorded, deps))
      if (!found.has(wayOf(reported))) found.set(wayOf(reported), reported)
  }
  return { tally: { ...emptyTally(), invariants: judged.invariants }, found: [...found.values()] }
}
