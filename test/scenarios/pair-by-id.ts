import { type LoadedPair, loadPair } from '../../src/campaign/play/load-pair.ts'
import type { PairTask } from '../../src/campaign/play/tasks.ts'
import type { CampaignDeps } from '../../src/campaign/types.ts'
import { select } from '../../src/cli/select.ts'

/**
 * A layer and a scenario of the catalogue, with seed 1, on a plain sink unless effects are rows.
 */
export async function pairById(
  layerId: string,
  scenarioId: string,
  deps: CampaignDeps,
  sink: 'plain' | 'transactional' = 'plain',
): Promise<{ readonly task: PairTask; readonly pair: LoadedPair }> {
  const [[scenario], [layer]] = [
    await select('scenario', [scenarioId], deps),
    await select('implementation', [layerId], deps),
  ]
  const task = {
    scenarioPath: scenario!.path,
    scenarioName: scenario!.name,
    implementationPath: layer!.path,
    implementationName: layer!.name,
    sink,
    seed: 1,
    fresh: false,
  }
  return { task, pair: await loadPair(task, deps) }
}
