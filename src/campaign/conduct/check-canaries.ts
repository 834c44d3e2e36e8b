/** Checks several canaries concurrently. */
import type { CanaryResult } from '../../contract/api/canary.ts'
import type { Executor } from '../play/executor.ts'
import { type CanaryUnderTest, type CheckRequest, checkCanary } from './check-canary.ts'

export interface CanaryContext {
  readonly executor: Executor
  readonly stopped: () => boolean
  /** Called with each result as soon as it is known. */
  readonly report: (result: CanaryResult) => void
}

/** Checks each canary once. The results are in the order of `canaries`. */
export function checkCanaries(
  canaries: readonly CanaryUnderTest[],
  request: CheckRequest,
  context: CanaryContext,
): Promise<CanaryResult[]> {
  return sideBySide(canaries, context, async (canary) => [await checkCanary(canary, request, context.executor)])
}

/**
 * Checks canaries that only one kind of fault kills: first with all faults, then without that kind
 * for ten times as many runs.
 */
export function checkPerFault(
  canaries: readonly CanaryUnderTest[],
  request: CheckRequest,
  context: CanaryContext,
): Promise<CanaryResult[]> {
  return sideBySide(canaries, context, async (canary) => {
    const on = await checkCanary(canary, request, context.executor)
    if (on.fate !== 'caught') return [on]
    const runs = Math.min(request.runs, Math.max(fewestRunsOff, 10 * on.runs))
    return [on, await checkCanary(canary, { ...request, runs, without: canary.hunt.killedBy }, context.executor)]
  })
}

const fewestRunsOff = 200

async function sideBySide(
  canaries: readonly CanaryUnderTest[],
  { executor, stopped, report }: CanaryContext,
  check: (canary: CanaryUnderTest) => Promise<CanaryResult[]>,
): Promise<CanaryResult[]> {
  const results: CanaryResult[][] = []
  const waiting = [...canaries.entries()]
  const one = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !stopped(); next = waiting.shift()) {
      const [at, canary] = next
      // An interrupted check has no result, unless the canary was caught before the interruption.
      results[at] = (await check(canary)).filter(({ caught }) => caught !== null || !stopped())
      results[at].forEach(report)
    }
  }
  await Promise.all(Array.from({ length: executor.size }, one))
  return results.flat()
}

/** The canaries that only one kind of fault kills. */
export function perFaultCanaries<C extends Pick<CanaryUnderTest, 'hunt'>>(canaries: readonly C[]): readonly C[] {
  return canaries.filter(({ hunt: { killedBy } }) => killedBy.length === 1)
}

export function kindsWithoutCanary(
  kinds: Iterable<string>,
  canaries: readonly Pick<CanaryUnderTest, 'hunt'>[],
): string[] {
  const owned = new Set(perFaultCanaries(canaries).flatMap(({ hunt: { killedBy } }) => killedBy))
  return [...kinds].filter((kind) => !owned.has(kind))
}

/**
 * The median number of runs over the caught canaries; the higher of two middle values. Null if no
 * canary was caught.
 */
export function medianRuns(results: readonly CanaryResult[]): number | null {
  const runs = results.filter(({ caught }) => caught !== null).map((result) => result.runs)
  return runs.sort((a, b) => a - b)[Math.floor(runs.length / 2)] ?? null
}
