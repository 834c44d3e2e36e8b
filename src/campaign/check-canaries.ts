/** All canaries, and what their deaths and survivals say about the harness. */
import type { CanaryResult } from '../contract/canary.ts'
import { type CanaryUnderTest, type CheckRequest, checkCanary } from './check-canary.ts'
import type { Executor } from './executor.ts'

export interface CanaryContext {
  readonly executor: Executor
  readonly stopped: () => boolean
  /** Called as each is done. */
  readonly tell: (result: CanaryResult) => void
}

/** Each canary once; in the order of `quarries`. */
export function checkCanaries(
  quarries: readonly CanaryUnderTest[],
  request: CheckRequest,
  party: CanaryContext,
): Promise<CanaryResult[]> {
  return sideBySide(quarries, party, async (canary) => [await checkCanary(canary, request, party.executor)])
}

/** The canaries that one kind of faults alone kills: with all faults, and then, for ten times as long, without that kind. */
export function checkOwn(
  quarries: readonly CanaryUnderTest[],
  request: CheckRequest,
  party: CanaryContext,
): Promise<CanaryResult[]> {
  return sideBySide(quarries, party, async (canary) => {
    const on = await checkCanary(canary, request, party.executor)
    if (on.fate !== 'caught') return [on]
    const runs = Math.min(request.runs, Math.max(fewestRunsOff, 10 * on.runs))
    return [on, await checkCanary(canary, { ...request, runs, without: canary.hunt.killedBy }, party.executor)]
  })
}

const fewestRunsOff = 200

async function sideBySide(
  quarries: readonly CanaryUnderTest[],
  { executor, stopped, tell }: CanaryContext,
  hunt: (canary: CanaryUnderTest) => Promise<CanaryResult[]>,
): Promise<CanaryResult[]> {
  const results: CanaryResult[][] = []
  const waiting = [...quarries.entries()]
  const one = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !stopped(); next = waiting.shift()) {
      const [at, canary] = next
      // What was interrupted says nothing, unless it was caught before.
      results[at] = (await hunt(canary)).filter(({ caught }) => caught !== null || !stopped())
      results[at].forEach(tell)
    }
  }
  await Promise.all(Array.from({ length: executor.size }, one))
  return results.flat()
}

/** The canaries that nothing but faults of one kind kills. */
export function ownCanaries(quarries: readonly CanaryUnderTest[]): readonly CanaryUnderTest[] {
  return quarries.filter(({ hunt: { killedBy } }) => killedBy.length === 1)
}

export function kindsWithoutOwn(kinds: Iterable<string>, quarries: readonly CanaryUnderTest[]): string[] {
  const owned = new Set(ownCanaries(quarries).flatMap(({ hunt: { killedBy } }) => killedBy))
  return [...kinds].filter((kind) => !owned.has(kind))
}

/** Of the canaries that were caught; null where none was. Between two, the higher. */
export function medianRuns(results: readonly CanaryResult[]): number | null {
  const runs = results.filter(({ caught }) => caught !== null).map((result) => result.runs)
  return runs.sort((a, b) => a - b)[Math.floor(runs.length / 2)] ?? null
}
