/** All canaries, and what their deaths and survivals say about the harness. */
import type { CanaryResult } from '../contract/canary.ts'
import { type ExitCode, exitCodes } from '../contract/results.ts'
import type { Crew } from './crew.ts'
import { type HuntRequest, huntCanary, type Quarry } from './hunt.ts'

/** In the order of `quarries`. `tell` is called as each is done. */
export async function huntAll(
  quarries: readonly Quarry[],
  request: HuntRequest,
  crew: Crew,
  tell: (result: CanaryResult) => void,
): Promise<CanaryResult[]> {
  const results: CanaryResult[] = []
  const waiting = [...quarries.entries()]
  const one = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, quarry] = next
      const result = await huntCanary(quarry, request, crew)
      results[at] = result
      tell(result)
    }
  }
  await Promise.all(Array.from({ length: crew.size }, one))
  return results
}

/** The canaries that nothing but faults of that kind kills. */
export function ownCanaries(kind: string, quarries: readonly Quarry[]): readonly Quarry[] {
  return quarries.filter(({ hunt: { killedBy } }) => killedBy.length === 1 && killedBy[0] === kind)
}

/** A canary that is not what its file says, or a kind of faults without one: the harness cannot be trusted. */
export function exitCodeOf(results: readonly CanaryResult[], kindsWithoutOwn: readonly string[]): ExitCode {
  const sound = results.every(({ fate }) => fate === 'caught' || fate === 'lives')
  return sound && kindsWithoutOwn.length === 0 ? exitCodes.ok : exitCodes.harness
}

/** Of the canaries that were caught; null where none was. Between two, the higher. */
export function medianRuns(results: readonly CanaryResult[]): number | null {
  const runs = results.filter(({ caught }) => caught !== null).map((result) => result.runs)
  return runs.sort((a, b) => a - b)[Math.floor(runs.length / 2)] ?? null
}
