/** Many layers × many scenarios × the sinks that they can use: what holds where, and what breaks it. */
import { type ExitCode, exitCodes, type PairResult } from '../contract/results.ts'
import { type CampaignOutcome, runCampaign } from './campaign.ts'
import type { CampaignContext, CampaignRequest } from './campaign-request.ts'

/**
 * A cell whose at-most-once is broken is done: what else may break there is another run's business.
 * @throws LoadError when a layer or a scenario cannot be used at all
 */
export async function runMatrix(request: CampaignRequest, context: CampaignContext): Promise<CampaignOutcome> {
  const pairs = request.pairs.map((pair) => ({ ...pair, until: 'at-most-once' }))
  const outcome = await runCampaign({ ...request, pairs }, context)
  if (outcome.interrupted) return outcome
  const harnessFailure = outcome.harnessFailure ?? survivorOf(outcome.pairs)
  return { ...outcome, harnessFailure, exitCode: exitCodeOf(outcome.pairs, harnessFailure) }
}

/** A layer that declares itself broken, and broke nowhere: the declaration is wrong, or the harness is blind. */
function survivorOf(pairs: readonly PairResult[]): string | null {
  const declared = [...new Set(pairs.filter(({ expect }) => expect === 'broken').map(nameOf))]
  const survivor = declared.find((name) => !pairs.some((pair) => nameOf(pair) === name && pair.verdict === 'violated'))
  if (survivor === undefined) return null
  const ofIt = pairs.filter((pair) => nameOf(pair) === survivor)
  const runs = ofIt.reduce((sum, pair) => sum + pair.runs, 0)
  return `${survivor} declares that it is broken, and survived ${runs} runs of ${ofIt.length} cells: it is better than it says, or the harness is blind`
}

/**
 * DESIGN 9. A layer that declares itself broken need not break in every cell, nor reach every goal before it does; what
 * is not simulated leaves it unknown all the same.
 */
function exitCodeOf(pairs: readonly PairResult[], harnessFailure: string | null): ExitCode {
  if (harnessFailure !== null) return exitCodes.harness
  const held = pairs.filter(({ expect }) => expect === 'holds')
  if (held.some(({ verdict }) => verdict === 'violated')) return exitCodes.violated
  const unknown = held.some(({ verdict }) => verdict === 'unknown')
  const notSimulated = pairs.some(({ unsupportedCommands }) => unsupportedCommands.length > 0)
  return unknown || notSimulated ? exitCodes.unknown : exitCodes.ok
}

function nameOf({ implementation }: PairResult): string {
  return implementation
}
