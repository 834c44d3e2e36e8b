/** Lists accepted risks and what each of them explained. */
import { acceptsText } from '../contract/api/risk.ts'
import type { Finding, PairResult } from '../contract/results/results.ts'
import { visible } from '../contract/results/visible.ts'
import { counted } from './figures.ts'

/**
 * A text for each risk and reason, such as `redis-data-loss explains 34 runs of eviction; because:
 * it may`.
 */
export function acceptedTexts(pairs: readonly PairResult[]): string[] {
  const all = pairs.flatMap(({ scenario, acceptedRisks = [] }) => acceptedRisks.map((risk) => ({ ...risk, scenario })))
  const names = new Map(all.map(({ what, because }) => [`${what}\n${because}`, { what, because }]))
  return [...names.values()].map(({ what, because }) => {
    const met = all.filter((one) => one.what === what && one.because === because && one.runs.length > 0)
    const runs = met.reduce((sum, one) => sum + one.runs.length, 0)
    const scenarios = [...new Set(met.map(({ scenario }) => scenario))]
    const explains = runs === 0 ? 'explains no run' : `explains ${counted(runs, 'run')} of ${listed(scenarios)}`
    return `${what} ${explains}; because: ${visible(because)}`
  })
}

/** The maximum number of scenarios to name. */
const named = 4

const listed = (scenarios: readonly string[]): string =>
  scenarios.length > named
    ? `${scenarios.slice(0, named).join(', ')} and ${scenarios.length - named} more`
    : scenarios.join(', ')

export const acceptedLines = (pairs: readonly PairResult[]): string[] =>
  acceptedTexts(pairs).map((text) => `  accepted: ${text}`)

/**
 * Names the risks whose acceptance excuses a finding, and the option that accepts them; null if
 * there are none.
 */
export const acceptableText = ({ acceptable }: Pick<Finding, 'acceptable'>): string | null =>
  acceptable === undefined ? null : `A layer may accept the risk: ${acceptsText(acceptable)}`
