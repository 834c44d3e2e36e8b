import type { CampaignContext, CampaignRequest } from '../play/campaign-request.ts'
import { failureText } from '../play/harness-failure.ts'
import type { PlayedPair } from '../play/pair-progress.ts'
import { LeakError, NondeterminismError } from '../token/nondeterminism.ts'
import { type Findings, findingsOfLayer, layersOf } from './findings.ts'
import { findingsSoFar } from './findings-so-far.ts'
import { numberedOverSinks } from './number-over-sinks.ts'

/** `failure`: why the search for some layer's violations failed; null if none failed. */
export interface ReportedFindings extends Findings {
  readonly failure: string | null
}

/**
 * The findings of each layer. If a violation of a layer does not repeat, the findings of that layer
 * are reported as drawn. The findings of the other layers are reported in full, so no finding is
 * lost.
 * @throws any error except NondeterminismError and LeakError
 */
export async function reportedFindings(
  pairs: readonly PlayedPair[],
  request: Pick<CampaignRequest, 'cheaper' | 'explain' | 'reports'>,
  context: Pick<CampaignContext, 'executor' | 'keep' | 'deps'>,
): Promise<ReportedFindings> {
  const ofSinks = layersOf(pairs)
  const found = await Promise.all(ofSinks.map((layer) => ofLayer(layer, request, context)))
  const layers = numberedOverSinks(ofSinks, found)
  return {
    rootCauses: layers.flatMap(({ rootCauses }) => rootCauses),
    findings: layers.flatMap(({ findings }) => findings),
    violations: new Map(layers.flatMap(({ violations }) => [...violations])),
    shown: layers.flatMap(({ shown }) => shown),
    failure: layers.find(({ failure }) => failure !== null)?.failure ?? null,
  }
}

async function ofLayer(
  pairs: readonly PlayedPair[],
  request: Pick<CampaignRequest, 'cheaper' | 'explain' | 'reports'>,
  context: Pick<CampaignContext, 'executor' | 'keep' | 'deps'>,
): Promise<ReportedFindings> {
  try {
    return { ...(await findingsOfLayer(pairs, request, context)), failure: null }
  } catch (error) {
    if (!(error instanceof NondeterminismError || error instanceof LeakError)) throw error
    const { id } = pairs[0]!.pair.implementation.implementation
    return {
      ...findingsSoFar(pairs),
      failure: `${id}, while its violations were minimized: ${failureText(error)}`,
    }
  }
}
