/** A campaign as `run` and `matrix` play it: shared out, executed, and put into results. */
import { runCampaign } from '../campaign/campaign.ts'
import type { CampaignRequest } from '../campaign/campaign-request.ts'
import { exitCodes, type Results } from '../contract/results.ts'
import type { CampaignSession, CampaignWant } from './campaign-session.ts'
import type { Sharing } from './shard-part.ts'
import { strayText } from './stray-errors.ts'
import { resultsHead } from './tool-identity.ts'

export interface PlayedCampaign {
  readonly results: Results
  readonly harnessFailure: string | null
}

/** `request`: this machine's part. */
export async function playCampaign(
  request: CampaignRequest,
  want: CampaignWant,
  sharing: Sharing,
  { campaign, elapsedMs, stopProgress, files }: CampaignSession,
): Promise<PlayedCampaign> {
  const played = await campaign(want, async (context, workers) => {
    const executor = sharing.executorOf(context.executor, context.deps.stopped)
    const { harnessFailure, crosscheck, ...found } = await runCampaign(request, { ...context, executor })
    const timings = { totalMs: Math.round(elapsedMs()), workers, crosscheck }
    const results: Results = { ...resultsHead(request.seed), ...found, timings }
    const stray = strayText()
    if (stray === null) return { results, harnessFailure }
    return { results: { ...results, exitCode: exitCodes.harness }, harnessFailure: stray }
  })
  stopProgress()
  if (!played.results.interrupted) sharing.leave(files)
  return played
}
