import { firstBreak, freshAfterLeak } from '../../src/campaign/conduct/first-break.ts'
import type { Executor } from '../../src/campaign/play/executor.ts'
import type { BenchmarkRow } from './compare.ts'
import type { BenchmarkHunt } from './hunts.ts'

/** Plays one layer on seed 1, 2, …: scenario after scenario, until a run violates an invariant. */
export async function playHunt(
  { layer, scenarios, mostRuns }: BenchmarkHunt,
  seeds: number,
  executor: Executor,
): Promise<BenchmarkRow> {
  const runs: (number | null)[] = []
  const seconds: number[] = []
  for (let seed = 1; seed <= seeds; seed++) {
    const startedMs = performance.now()
    let played = 0
    let caught = false
    for (const scenario of scenarios) {
      const { tally } = await freshAfterLeak((fresh) => firstBreak({ ...scenario, seed, fresh }, mostRuns, executor))
      played += tally.runs
      if ((caught = tally.paths.size > 0)) break
    }
    runs.push(caught ? played : null)
    seconds.push(Math.round(performance.now() - startedMs) / 1000)
  }
  return { layer, scenarios: scenarios.map(({ scenarioName }) => scenarioName), mostRuns, runs, seconds }
}
