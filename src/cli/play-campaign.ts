/** Plays this machine's part of a campaign for `run` and `matrix`, and builds the results. */

import { runCampaign } from '../campaign/conduct/campaign.ts'
import type { CampaignRequest } from '../campaign/play/campaign-request.ts'
import { EndlessTurn } from '../campaign/play/endless-turn.ts'
import type { CampaignOutcome } from '../campaign/types.ts'
import { type ExitCode, exitCodes } from '../contract/api/exit-codes.ts'
import type { Results } from '../contract/results/results.ts'
import type { Picture } from '../contract/results/timeline.ts'
import type { CampaignSession, CampaignWant } from './campaign-session.ts'
import type { Sharing } from './shard-part.ts'
import { resultsHead } from './tool-identity.ts'
import { unhandledErrorText } from './unhandled-errors.ts'
import type { LastWords } from './watchdog.ts'

export interface PlayedCampaign {
  readonly results: Results
  readonly pictures: readonly Picture[]
  readonly harnessFailure: string | null
}

/**
 * `request`: this machine's part. `conclude` is called with the results so far if the layer blocks
 * the main thread forever, which ends the campaign.
 */
export async function playCampaign(
  request: CampaignRequest,
  want: CampaignWant,
  sharing: Sharing,
  { campaign, elapsedMs, stopProgress, lastWords, files }: CampaignSession,
  conclude: (played: PlayedCampaign) => ExitCode,
): Promise<PlayedCampaign> {
  const played = await campaign(want, async (context, workers) => {
    const executor = sharing.executorOf(context.executor, context.deps.stopped)
    const toPlayed = ({ harnessFailure, crosschecks, pictures, ...found }: CampaignOutcome, failure: string | null) => {
      const timings = { totalMs: Math.round(elapsedMs()), workers, ...crosschecks }
      const results: Results = { ...resultsHead(request.seed), ...found, timings }
      if (failure === null) return { results, pictures, harnessFailure }
      return { results: { ...results, exitCode: exitCodes.harness }, pictures, harnessFailure: failure }
    }
    let end: LastWords = () => undefined
    const soFar = (outcome: () => CampaignOutcome): void => {
      end = (happened, byLayer) => {
        stopProgress()
        const found = outcome()
        if (!byLayer) return conclude(toPlayed(found, happened))
        const isViolated = found.pairs.some(({ verdict }) => verdict === 'violated')
        const exitCode = isViolated ? exitCodes.violated : exitCodes.usage
        return conclude(toPlayed({ ...found, exitCode }, null))
      }
      lastWords(end)
    }
    const whole = runCampaign(request, { ...context, executor, soFar }).catch((error: unknown) => {
      if (error instanceof EndlessTurn) end(error.message, true)
      throw error
    })
    return toPlayed(await whole, unhandledErrorText())
  })
  stopProgress()
  if (!played.results.interrupted) sharing.leave(files)
  return played
}
