import type { Scenario } from '../contract/scenario.ts'
import type { LoadedImplementation } from '../sim/runtime/load-implementation.ts'
import type { CampaignDeps } from './campaign-deps.ts'
import type { PairRef } from './pair-ref.ts'
import type { PairTask } from './tasks.ts'

/** A pair, loaded. */
export interface LoadedPair {
  readonly scenario: Scenario
  readonly implementation: LoadedImplementation
}

/** @throws LoadError */
export async function loadPair(
  {
    scenarioPath,
    implementationPath,
    only,
    fresh = false,
  }: Pick<PairRef, 'scenarioPath' | 'implementationPath'> & Partial<Pick<PairTask, 'only' | 'fresh'>>,
  deps: Pick<CampaignDeps, 'loadScenario' | 'loadImplementation'>,
): Promise<LoadedPair> {
  const loaded = await deps.loadScenario(scenarioPath)
  const scenario = only === undefined ? loaded : { ...loaded, invariants: [only] }
  const implementation = await deps.loadImplementation(implementationPath)
  if (!fresh) return { scenario, implementation }
  return {
    scenario,
    implementation: { ...implementation, instantiate: (name) => implementation.instantiate(name, true) },
  }
}
