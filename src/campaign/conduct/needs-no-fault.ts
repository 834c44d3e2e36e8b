/** Whether what broke a pure scenario is due to its faults: the run that broke is played again without any. */
import type { CampaignViolation } from '../../contract/results/results.ts'
import type { CampaignContext } from '../play/campaign-request.ts'
import type { PlayedPair } from '../play/pair-progress.ts'
import { gravestFirst } from '../results/pair-result.ts'

type Violations = readonly CampaignViolation[]

/** Of each pure pair, the gravest violation is marked where it needs no fault; the others are as they were. */
export async function markFaultless(
  violations: ReadonlyMap<PlayedPair, Violations>,
  { executor, deps }: Pick<CampaignContext, 'executor' | 'deps'>,
): Promise<ReadonlyMap<PlayedPair, Violations>> {
  const marked = [...violations].map(async ([played, own]) => {
    const [gravest, ...others] = [...own].sort(gravestFirst)
    const { onlyFaults } = played.pair.scenario
    if (onlyFaults === undefined || gravest === undefined || deps.stopped()) return [played, own] as const
    const { run, invariant, kind } = gravest
    const task = { ...played.progress.task, without: onlyFaults, from: run, to: run + 1, bail: false }
    const { paths } = await executor.runChunk(task)
    const breaks = [...paths.values()].some((path) => path.invariant === invariant && path.kind === kind)
    return [played, breaks ? [{ ...gravest, needsNoFault: true as const }, ...others] : own] as const
  })
  return new Map(await Promise.all(marked))
}
