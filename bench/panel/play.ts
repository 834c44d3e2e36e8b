import type { ChunkTask, Executor } from '../../src/campaign/executor.ts'
import { LeakError } from '../../src/campaign/nondeterminism.ts'
import type { Tally } from '../../src/campaign/tally.ts'
import type { PanelRow } from './compare.ts'
import type { PanelHunt } from './hunts.ts'

/** One layer on seed 1, 2, …: scenario after scenario, until a run violates anything. */
export async function playHunt(
  { layer, scenarios, mostRuns }: PanelHunt,
  seeds: number,
  executor: Executor,
): Promise<PanelRow> {
  const runs: (number | null)[] = []
  const seconds: number[] = []
  for (let seed = 1; seed <= seeds; seed++) {
    const startedMs = performance.now()
    let played = 0
    let caught = false
    for (const scenario of scenarios) {
      const tally = await search({ ...scenario, seed, fresh: false, from: 0, to: mostRuns, bail: true }, executor)
      played += tally.runs
      if ((caught = tally.paths.size > 0)) break
    }
    runs.push(caught ? played : null)
    seconds.push(Math.round(performance.now() - startedMs) / 1000)
  }
  return { layer, scenarios: scenarios.map(({ scenarioName }) => scenarioName), mostRuns, runs, seconds }
}

async function search(task: ChunkTask, executor: Executor): Promise<Tally> {
  try {
    return await executor.runChunk(task)
  } catch (error) {
    if (!(error instanceof LeakError)) throw error
    return executor.runChunk({ ...task, fresh: true })
  }
}
