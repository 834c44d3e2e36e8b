import { LoadError } from 'virtual-node/runtime'
import type { AcceptedRisk } from '../../contract/api/risk.ts'
import type { Scenario } from '../../contract/api/scenario.ts'
import { whyApart } from '../../contract/api/store.ts'
import type { LoadedImplementation } from '../../sim/adapters/load-implementation.ts'
import { isMadeName } from '../made/made-scenario.ts'
import type { PairRef } from '../token/pair-ref.ts'
import type { CampaignDeps } from '../types.ts'
import { withAskedWorkload } from './asked-workload.ts'
import type { PairTask } from './tasks.ts'

/** A pair with its loaded modules. */
export interface LoadedPair {
  readonly scenario: Scenario
  readonly implementation: LoadedImplementation
  /** Risks that the layer or the config accepts. Absent: none. */
  readonly accepts?: readonly AcceptedRisk[]
}

/**
 * Loads a pair for a campaign, a replay, a token, a recorded run or a fleet job.
 * @throws LoadError if a module cannot be loaded, or if the scenario uses none of the layer's
 * stores, because then nothing would be judged
 */
export async function loadPair(
  {
    scenarioPath,
    implementationPath,
    only,
    accepts: byConfig = [],
    fresh = false,
  }: Pick<PairRef, 'scenarioPath' | 'implementationPath'> & Partial<Pick<PairTask, 'only' | 'accepts' | 'fresh'>>,
  deps: Pick<CampaignDeps, 'loadScenario' | 'loadImplementation'>,
): Promise<LoadedPair> {
  const loaded = await deps.loadScenario(scenarioPath)
  const implementation = await deps.loadImplementation(implementationPath)
  const { id } = implementation.implementation
  const played = withAskedWorkload(loaded, implementation.implementation)
  const scenario = only === undefined ? played : { ...played, invariants: [only] }
  const apart = whyApart(implementation.implementation, loaded)
  if (apart !== null) throw new LoadError(`${id} × ${loaded.id}`, `skipped, ${apart}; name a scenario for its store`)
  const byLayer = implementation.implementation.accepts ?? []
  // Generated scenarios search for what breaks the layer, so violations by acceptable risks must be
  // reported, too.
  const accepts = isMadeName(scenarioPath)
    ? []
    : [...byLayer, ...byConfig.filter(({ what }) => byLayer.every((one) => one.what !== what))]
  if (!fresh) return { scenario, implementation, accepts }
  return {
    scenario,
    accepts,
    implementation: { ...implementation, instantiate: (name) => implementation.instantiate(name, true) },
  }
}
