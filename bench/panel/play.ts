import type { ChunkTask, Crew } from '../../src/campaign/crew.ts'
import { LeakError } from '../../src/campaign/nondeterminism.ts'
import type { Tally } from '../../src/campaign/tally.ts'
import type { PanelRow } from './compare.ts'
import type { PanelHunt } from './hunts.ts'

/** One layer on seed 1, 2, …: scenario after scenario, until a run violates anything. */
export async function playHunt(
  { layer, scenarios, mostRuns }: PanelHunt,
  seeds: number,
  crew: Crew,
): Promise<PanelRow> {
  const runs: (number | null)[] = []
  const seconds: number[] = []
  for (let seed = 1; seed <= seeds; seed++) {
    const startedMs = performance.now()
    let played = 0
    let caught = false
    for (const scenario of scenarios) {
      const tally = await search({ ...scenario, seed, fresh: false, from: 0, to: mostRuns, bail: true }, crew)
      played += tally.runs
      if ((caught = tally.paths.size > 0)) break
    }
    runs.push(caught ? played : null)
    seconds.push(Math.round(performance.now() - startedMs) / 1000)
  }
  return { layer, scenarios: scenarios.map(({ scenarioName }) => scenarioName), mostRuns, runs, seconds }
}

async function search(task: ChunkTask, crew: Crew): Promise<Tally> {
  try {
    return await crew.runChunk(task)
  } catch (error) {
    if (!(error instanceof LeakError)) throw error
    return crew.runChunk({ ...task, fresh: true })
  }
}
