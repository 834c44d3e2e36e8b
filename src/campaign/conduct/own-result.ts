/** The result of a pair that is played outside of a campaign, and therefore has no findings. */
import type { PairResult } from '../../contract/results/results.ts'
import { violationResult } from '../explain/violation-result.ts'
import type { CampaignContext, CampaignRequest } from '../play/campaign-request.ts'
import type { PlayedPair } from '../play/pair-progress.ts'
import { shrinkTask } from '../play/tasks.ts'
import { resultOf } from './campaign.ts'
import { drawnViolations } from './findings.ts'

/** Shrinks one violation of the pair. `wanted`: a prefix of the name of the preferred violation. */
export async function ownResult(
  pair: PlayedPair,
  request: Pick<CampaignRequest, 'explain' | 'reports'>,
  context: CampaignContext,
  wanted: string,
): Promise<PairResult> {
  const { task, tally } = pair.progress
  const paths = [...tally.paths]
  const [, shown] = paths.find(([name]) => name.startsWith(wanted)) ?? paths[0] ?? []
  const drawn = drawnViolations(pair)
  if (shown === undefined || context.deps.stopped()) return resultOf(pair, drawn, request, context)
  const reported = await context.executor.shrink(
    shrinkTask(task, shown, { budget: request.explain.path, mode: 'story' }),
  )
  const small = { ...violationResult(reported, request, context), shrunk: reported.shrunk, runs: [...shown.runs] }
  const others = drawn.filter((_, at) => paths[at]![1] !== shown)
  return resultOf(pair, [small, ...others], request, context)
}
