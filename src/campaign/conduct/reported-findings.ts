import type { CampaignContext, CampaignRequest } from '../play/campaign-request.ts'
import { failureText } from '../play/harness-failure.ts'
import type { PlayedPair } from '../play/pair-progress.ts'
import { LeakError, NondeterminismError } from '../token/nondeterminism.ts'
import { type Findings, findingsOfLayer, layersOf } from './findings.ts'
import { findingsSoFar } from './findings-so-far.ts'

/** `failure`: why some layer's violations could not be made small; null where all could. */
export interface ReportedFindings extends Findings {
  readonly failure: string | null
}

/**
 * What broke, layer by layer. Where a violation of a layer does not repeat, its findings are told
 * as they were drawn, and those of the other layers in full: what was found is not lost.
 * @throws what is no question of repeating
 */
export async function reportedFindings(
  pairs: readonly PlayedPair[],
  request: Pick<CampaignRequest, 'cheaper' | 'explain' | 'reports'>,
  context: Pick<CampaignContext, 'executor' | 'keep' | 'deps'>,
): Promise<ReportedFindings> {
  const layers = await Promise.all(layersOf(pairs).map((layer) => ofLayer(layer, request, context)))
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
      shown: [],
      failure: `${id}, while its violations were minimized: ${failureText(error)}`,
    }
  }
}
