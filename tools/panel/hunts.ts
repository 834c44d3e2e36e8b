/** What the panel plays: every canary in the scenarios that it is hunted in, every article's pattern in every scenario. */

import type { PairRef } from '../../src/campaign/token/pair-ref.ts'
import type { CampaignDeps } from '../../src/campaign/types.ts'
import { catalogue } from '../../src/cli/catalogue.ts'
import { selectCanaries } from '../../src/cli/select.ts'
import { selectCells } from '../../src/cli/select-cells.ts'

/** One layer, the scenarios that it is tried in, and how many runs each of them may take. */
export interface PanelHunt {
  readonly layer: string
  readonly scenarios: readonly PairRef[]
  readonly mostRuns: number
}

/** As `canaries` and `run` had them when the panel was frozen. */
const mostRuns = { canary: 4_000, article: 250 }

export async function panelHunts(bench: CampaignDeps): Promise<PanelHunt[]> {
  return [...(await canaryHunts(bench)), ...(await articleHunts(bench))]
}

async function canaryHunts(bench: CampaignDeps): Promise<PanelHunt[]> {
  return (await selectCanaries(undefined, bench)).map(
    ({ implementationPath, implementationName, sink, scenarios }) => ({
      layer: implementationName,
      mostRuns: mostRuns.canary,
      scenarios: scenarios.map((scenario) => ({ ...scenario, implementationPath, implementationName, sink })),
    }),
  )
}

/** A hunt for each scenario: what a pattern is caught by in one says nothing of the others. */
async function articleHunts(bench: CampaignDeps): Promise<PanelHunt[]> {
  const patterns = catalogue('implementation').filter(({ path }) => /[\\/]articles[\\/]/.test(path))
  const wanted = { implementations: patterns.map(({ id }) => id), scenarios: undefined }
  const cells = await selectCells({ ...wanted, runs: { holds: 1, broken: 1, pure: 1 } }, bench)
  return cells
    .filter(({ choice }) => choice.sink === 'plain')
    .map(({ choice: { corpus: _, runMs: __, ...names } }) => {
      return { layer: names.implementationName, scenarios: [names], mostRuns: mostRuns.article }
    })
}
