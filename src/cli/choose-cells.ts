/** The cells of a matrix: every layer under every scenario, on every sink that it can use. */

import path from 'node:path'
import type { CampaignDeps } from '../campaign/campaign-deps.ts'
import type { PairPlan } from '../campaign/campaign-request.ts'
import { runMsOf } from '../contract/scenario.ts'
import { catalogue, packageFolder } from './catalogue.ts'
import { choose } from './choose.ts'
import { unusable } from './shapes.ts'

export interface WantedCells {
  /** Without names: all but the canaries, which are broken on purpose. */
  readonly implementations: readonly string[] | undefined
  /** Without names: all of the catalogue. */
  readonly scenarios: readonly string[] | undefined
  /** Runs for each cell of a layer that is said to hold, or to be broken. */
  readonly runs: { readonly holds: number; readonly broken: number }
}

/**
 * By layer, then sink, then scenario; without past failures, which `run` replays. A cell is done once at-most-once is
 * broken there.
 * @throws UsageError, LoadError
 */
export async function chooseCells(
  { implementations, scenarios, runs }: WantedCells,
  deps: CampaignDeps,
): Promise<PairPlan[]> {
  const stories = await choose('scenario', scenarios ?? catalogue('scenario').map(({ id }) => id), deps)
  const layers = await choose('implementation', implementations ?? layerIds(), deps)
  const cells: PairPlan[] = []
  for (const layer of layers) {
    const { implementation } = await deps.loadImplementation(layer.path)
    const { sinks = ['plain'], expect = 'holds' } = implementation
    const named = { implementationPath: layer.path, implementationName: layer.name }
    for (const sink of sinks)
      for (const story of stories) {
        const scenario = await deps.loadScenario(story.path)
        if (unusable(implementation, scenario) !== null) continue
        const where = { scenarioPath: story.path, scenarioName: story.name, runMs: runMsOf(scenario) }
        const choice = { ...named, ...where, sink, corpus: [] }
        cells.push({ choice, bound: { runs: runs[expect] }, until: 'at-most-once' })
      }
  }
  return cells
}

function layerIds(): string[] {
  const canaries = path.join(packageFolder, 'implementations', 'canaries')
  return catalogue('implementation')
    .filter((entry) => !entry.path.startsWith(`${canaries}${path.sep}`))
    .map(({ id }) => id)
}
