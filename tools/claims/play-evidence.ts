/**
 * Plays an evidence. A layer that must hold must hold in all runs. A layer that must break must
 * break in some run, which is shrunk and shown.
 */
import type { Results } from '../../src/contract/results/results.ts'
import { printedBy } from '../printed-by.ts'
import type { Played } from './claims.ts'
import { nameOf, type Reported } from './claims-page.ts'

/** The number of runs in which a claim must hold. */
export const runs = 250

/**
 * Plays the evidence.
 * @throws Error if the result contradicts the claim
 */
export function playEvidence(evidence: Played, { seed, reports }: { seed: number; reports: string }): Reported {
  const { layer, scenario, sink = 'plain', breaks } = evidence
  const where = ['--impl', layer, '--scenario', scenario, '--sink', sink]
  const bound = ['--runs', String(runs), '--seed', String(seed), ...(breaks ? ['--bail'] : [])]
  const quietly = ['--json', '--no-html', '--quiet', '--reports', reports]
  const { pairs, findings } = printedBy(['run', ...where, ...bound, ...quietly]).json as Results
  const [pair] = pairs
  const [found] = findings
  if (pair === undefined) throw new Error(`${nameOf(evidence)}: it was not played`)
  if (!breaks && pair.verdict === 'pass') return { runs: pair.runs }
  if (!breaks || found === undefined || found.token === null)
    throw new Error(`${nameOf(evidence)}: ${pair.verdict}, which the claim does not say`)
  const { cause, why, replay } = found
  return { way: `${cause.invariant} (${cause.kind})`, why, replay }
}
