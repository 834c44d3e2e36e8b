/**
 * Checks whether a violation in a pure scenario depends on its faults: plays the run again without
 * any fault.
 */
import type { CampaignViolation } from '../../contract/results/results.ts'
import { unlessUnusable } from '../explain/player.ts'
import type { CampaignContext } from '../play/campaign-request.ts'
import type { PlayedPair } from '../play/pair-progress.ts'

type Violations = readonly CampaignViolation[]

/** Marks the violations of each pure pair that need no fault; leaves other violations unchanged. */
export async function markFaultless(
  violations: ReadonlyMap<PlayedPair, Violations>,
  { executor, deps }: Pick<CampaignContext, 'executor' | 'deps'>,
): Promise<ReadonlyMap<PlayedPair, Violations>> {
  const marked = [...violations].map(async ([played, own]) => {
    const { onlyFaults } = played.pair.scenario
    if (onlyFaults === undefined || deps.stopped()) return [played, own] as const
    const brokenIn = new Map<number, Promise<ReadonlySet<string>>>()
    const faultless = (run: number): Promise<ReadonlySet<string>> => {
      const known = brokenIn.get(run)
      if (known !== undefined) return known
      const task = { ...played.progress.task, without: onlyFaults, from: run, to: run + 1, bail: false }
      const broken = unlessUnusable(executor.runChunk(task)).then((tally) => {
        return new Set(tally === null ? [] : [...tally.paths.values()].map(wayOf))
      })
      brokenIn.set(run, broken)
      return broken
    }
    const all = own.map(async (one) =>
      (await faultless(one.run)).has(wayOf(one)) ? { ...one, needsNoFault: true as const } : one,
    )
    return [played, await Promise.all(all)] as const
  })
  return new Map(await Promise.all(marked))
}

const wayOf = ({ invariant, kind }: Pick<CampaignViolation, 'invariant' | 'kind'>): string => `${invariant} ${kind}`
