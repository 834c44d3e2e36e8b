/**
 * The hunts of the benchmark: every canary in its scenarios, every article's pattern in every
 * scenario.
 */

import type { PairRef } from '../../src/campaign/token/pair-ref.ts'
import type { CampaignDeps } from '../../src/campaign/types.ts'
import { catalogue } from '../../src/cli/catalogue.ts'
import { selectCanaries } from '../../src/cli/select.ts'
import { selectCells } from '../../src/cli/select-cells.ts'

/** One layer, its scenarios, and the maximum number of runs for each scenario. */
export interface BenchmarkHunt {
  readonly layer: string
  readonly scenarios: readonly PairRef[]
  readonly mostRuns: number
}

/** The defaults of `canaries` and `run` when the benchmark was frozen. */
const mostRuns = { canary: 4_000, article: 250 }

export async function benchmarkHunts(bench: CampaignDeps): Promise<BenchmarkHunt[]> {
  return [...(await canaryHunts(bench)), ...(await articleHunts(bench))]
}

async function canaryHunts(bench: CampaignDeps): Promise<BenchmarkHunt[]> {
  return (await selectCanaries(undefined, bench)).map(
    ({ implementationPath, implementationName, sink, scenarios }) => ({
      layer: implementationName,
      mostRuns: mostRuns.canary,
      scenarios: scenarios.map((scenario) => ({ ...scenario, implementationPath, implementationName, sink })),
    }),
  )
}

/**
 * One hunt for each scenario, because detection in one scenario shows nothing about other
 * scenarios.
 */
async function articleHunts(bench: CampaignDeps): Promise<BenchmarkHunt[]> {
  const patterns = catalogue('implementation').filter(({ path }) => /[\\/]articles[\\/]/.test(path))
  const wanted = { implementations: patterns.map(({ id }) => id), scenarios: undefined }
  const cells = await selectCells({ ...wanted, runs: { holds: 1, broken: 1, pure: 1 } }, bench)
  return cells
    .filter(({ choice }) => choice.sink === 'plain')
    .map(({ choice: { corpus: _, runMs: __, ...names } }) => {
      return { layer: names.implementationName, scenarios: [names], mostRuns: mostRuns.article }
    })
}
