/** Past failures of a pair, run before anything else. They count as violations, and not as runs. */
import { addRun } from './add-run.ts'
import type { CampaignDeps } from './campaign-deps.ts'
import { describe, type ToldViolation, violationsOf } from './counterexample.ts'
import type { PairTask } from './executor.ts'
import { loadPair } from './run-chunk.ts'
import { emptyTally, type Tally } from './tally.ts'
import type { RecordedRun } from './token.ts'

export interface CorpusOutcome {
  /** Only what was judged; no runs, effects or goals. */
  readonly tally: Tally
  /** One for each invariant and kind. */
  readonly found: readonly ToldViolation[]
}

export async function replayCorpus(
  task: PairTask,
  corpus: readonly RecordedRun[],
  deps: CampaignDeps,
): Promise<CorpusOutcome> {
  const pair = await loadPair(task, deps)
  const judged = emptyTally()
  const found = new Map<string, ToldViolation>()
  for (const recorded of corpus) {
    const { plan, choiceSeed } = recorded
    const request = { ...pair, sink: recorded.sink, plan, choices: { seed: choiceSeed }, record: true }
    const result = await deps.runWorld(request)
    const verdicts = deps.judge(result.history, pair.scenario.invariants)
    addRun(judged, { run: recorded.run, result, verdicts, reached: [] })
    for (const { invariant, violation } of violationsOf(verdicts)) {
      const what = `${invariant} ${violation.kind}`
      if (!found.has(what)) found.set(what, describe(deps, result, invariant, violation, recorded))
    }
  }
  return { tally: { ...emptyTally(), invariants: judged.invariants }, found: [...found.values()] }
}
