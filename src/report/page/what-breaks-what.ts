/** The table of layers and scenarios with one kind of fault. */
import type { PairResult, Results } from '../../contract/results/results.ts'
import { breakOf } from '../break.ts'
import { attributedViolation, counted } from '../figures.ts'
import { breakAnchor, pairAnchor } from './anchor.ts'
import { type HeatCell, heatTable, type Legend, signOf, toneOf } from './heat.ts'
import { type Html, html } from './html.ts'

/** The table; null if fewer than two pure scenarios were played. */
export function whatBreaksWhat(results: Pick<Results, 'pairs' | 'findings' | 'ladders'>): Html | null {
  const pure = results.pairs.filter(({ onlyFaults }) => onlyFaults !== undefined)
  const pairs = pure.some(({ sink }) => sink === 'plain') ? pure.filter(({ sink }) => sink === 'plain') : pure
  const scenarios = inOrder(pairs, results)
  if (scenarios.length < 2) return null
  const legend: Legend = new Map()
  const layers = [...new Set(inTableOrder(pairs, results).map(layerOf))]
  const rows = layers.map((head) => {
    const cells = scenarios.map((scenario) => {
      const pair = pairs.find((one) => layerOf(one) === head && one.scenario === scenario)
      return pair === undefined ? null : cellOf(pair, results, legend)
    })
    return { head, cells }
  })
  const columns = scenarios.map((scenario) => scenario.replace(/^only-/, ''))
  return html`<section aria-labelledby="heat"><h2 id="heat">What breaks what</h2>
<p class="lede">Each column has faults of one kind, and nothing else goes wrong. A letter says what broke by these faults, and leads to the finding: hover or focus for its cause.</p>
${heatTable({ label: 'What breaks what', corner: 'Layer', columns, rows, legend })}</section>`
}

function cellOf(pair: PairResult, { findings }: Pick<Results, 'findings'>, legend: Legend): HeatCell {
  const name = `${layerOf(pair)} under ${pair.scenario}`
  const worst = attributedViolation(pair)
  const anchor = pairAnchor(pair)
  if (pair.verdict === 'pass')
    return { sign: '✓', tone: 'pass', says: `${name}: held in ${counted(pair.runs, 'run')}`, anchor }
  if (worst === undefined) {
    legend.set('?', { means: 'no verdict', tone: 'open' })
    return { sign: '?', tone: 'open', says: `${name}: ${pair.reason ?? 'no verdict'}`, anchor }
  }
  const one = breakOf(findings, pair, worst)
  if (worst.needsNoFault) {
    legend.set('*', { means: 'it also breaks without a fault', tone: 'open' })
    const says = `${name}: ${one.cause.kind} breaks without its faults: ${one.why ?? one.sentence}`
    return { sign: '*', tone: 'open', says, anchor: breakAnchor(one) }
  }
  const [sign, means] = signOf(one.cause)
  legend.set(sign, { means, tone: toneOf(one.cause) })
  const says = `${name}: ${one.cause.kind}: ${one.why ?? one.sentence}`
  return { sign, tone: toneOf(one.cause), says, anchor: breakAnchor(one) }
}

const layerOf = ({ implementation, sink }: Pick<PairResult, 'implementation' | 'sink'>): string =>
  sink === 'plain' ? implementation : `${implementation}, ${sink}`

/**
 * The columns in the order of the matrix's ablation tables, which begin with the faults that a
 * reader meets first.
 */
function inOrder(pairs: readonly PairResult[], { ladders: tables = [] }: Pick<Results, 'ladders'>): string[] {
  const known = tables.flatMap(({ steps }) => steps.flatMap(({ cells }) => cells.map(({ scenario }) => scenario)))
  const played = new Set(pairs.map(({ scenario }) => scenario))
  return [...new Set([...known.filter((one) => played.has(one)), ...played])]
}

/** The rows in the order of the ablation tables: from a first attempt to a complete layer. */
function inTableOrder(pairs: readonly PairResult[], { ladders: tables = [] }: Pick<Results, 'ladders'>): PairResult[] {
  const order = tables.flatMap(({ steps }) => steps.map(({ implementation }) => implementation))
  const place = ({ implementation }: PairResult) => {
    const at = order.indexOf(implementation)
    return at === -1 ? order.length : at
  }
  return [...pairs].sort((a, b) => place(a) - place(b))
}
