/** All canaries, and what their deaths and survivals say about the harness. */
import type { CanaryResult } from '../contract/canary.ts'
import { type ExitCode, exitCodes } from '../contract/results.ts'
import type { Crew } from './crew.ts'
import { type HuntRequest, huntCanary, type Quarry } from './hunt.ts'

export interface HuntingParty {
  readonly crew: Crew
  readonly stopped: () => boolean
  /** Called as each is done. */
  readonly tell: (result: CanaryResult) => void
}

/** Each canary once; in the order of `quarries`. */
export function huntAll(
  quarries: readonly Quarry[],
  request: HuntRequest,
  party: HuntingParty,
): Promise<CanaryResult[]> {
  return sideBySide(quarries, party, async (quarry) => [await huntCanary(quarry, request, party.crew)])
}

/** The canaries that one kind of faults alone kills: with all faults, and then, for ten times as long, without that kind. */
export function huntOwn(
  quarries: readonly Quarry[],
  request: HuntRequest,
  party: HuntingParty,
): Promise<CanaryResult[]> {
  return sideBySide(quarries, party, async (quarry) => {
    const on = await huntCanary(quarry, request, party.crew)
    if (on.fate !== 'caught') return [on]
    const runs = Math.min(request.runs, Math.max(fewestRunsOff, 10 * on.runs))
    return [on, await huntCanary(quarry, { ...request, runs, without: quarry.hunt.killedBy }, party.crew)]
  })
}

const fewestRunsOff = 200

async function sideBySide(
  quarries: readonly Quarry[],
  { crew, stopped, tell }: HuntingParty,
  hunt: (quarry: Quarry) => Promise<CanaryResult[]>,
): Promise<CanaryResult[]> {
  const results: CanaryResult[][] = []
  const waiting = [...quarries.entries()]
  const one = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !stopped(); next = waiting.shift()) {
      const [at, quarry] = next
      // What was interrupted says nothing, unless it was caught before.
      results[at] = (await hunt(quarry)).filter(({ caught }) => caught !== null || !stopped())
      results[at].forEach(tell)
    }
  }
  await Promise.all(Array.from({ length: crew.size }, one))
  return results.flat()
}

/** The canaries that nothing but faults of one kind kills. */
export function ownCanaries(quarries: readonly Quarry[]): readonly Quarry[] {
  return quarries.filter(({ hunt: { killedBy } }) => killedBy.length === 1)
}

export function kindsWithoutOwn(kinds: Iterable<string>, quarries: readonly Quarry[]): string[] {
  const owned = new Set(ownCanaries(quarries).flatMap(({ hunt: { killedBy } }) => killedBy))
  return [...kinds].filter((kind) => !owned.has(kind))
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
