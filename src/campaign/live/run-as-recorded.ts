/**
 * Predicts the live outcome of one recorded run (a token, an entry of the corpus), whatever its
 * timing.
 */

import type { LoadedPair } from '../play/load-pair.ts'
import type { CampaignDeps } from '../types.ts'
import { type ChosenRun, notAskedOf } from './goals-not-asked.ts'
import { type PerturbedRun, perturbations, playPerturbed, type SelectionRequest, waysOf } from './perturbed-runs.ts'

export async function runAsRecorded(
  pair: LoadedPair,
  request: SelectionRequest,
  run: number,
  deps: CampaignDeps,
): Promise<ChosenRun> {
  const played: PerturbedRun[] = []
  for (const perturbation of perturbations) {
    const one = await playPerturbed(pair, request, run, perturbation, deps)
    // If one of the run's faults cannot be made, the live run is a different run, which the
    // simulator did not predict.
    if (one === null) return { run, way: null, says: notAskedOf, reaches: new Map() }
    played.push(one)
  }
  const [way = null] = waysOf(played)
  const times = played.filter(({ broke }) => way !== null && broke.includes(way)).length
  const says = way === null ? 'holds if timings differ' : `${way} in ${times} of ${perturbations.length}`
  return { run, way, says, reaches: new Map() }
}
