/** Verdicts at a glance: layers against scenarios, the longer list downwards, so that a narrow screen can hold it. */
import { gravity } from '../../contract/gravity.ts'
import type { PairResult } from '../../contract/results.ts'
import { counted, faultsStruck, goalFigures, isAsExpected } from '../figures.ts'
import { pairAnchor } from './anchor.ts'
import { storyAnchor } from './counterexample.ts'
import { type Html, html } from './html.ts'
import { verdictSigns } from './words.ts'

export const badge = (pair: PairResult): Html => {
  const { verdict } = pair
  const tone = verdict === 'violated' && isAsExpected(pair) ? 'expected' : verdict
  return html`<span class="badge ${tone}"><span aria-hidden="true">${verdictSigns[verdict]}</span> ${verdict}</span>`
}

/** At most this many kinds of violation are named in a cell. */
const namedKinds = 2

/** What a cell says below its verdict. */
function noteOf(pair: PairResult): string {
  if (pair.verdict !== 'violated') {
    const { reached, of } = goalFigures(pair)
    const surprise = pair.expect === 'broken' ? ', expected to break' : ''
    return `${counted(pair.runs, 'run')}, ${counted(faultsStruck(pair), 'fault')}, goals ${reached}/${of}${surprise}`
  }
  const found = [...pair.violations].sort((a, b) => gravity(a.invariant) - gravity(b.invariant))
  const kinds = [...new Set(found.map(({ kind }) => kind))]
  const more = kinds.length > namedKinds ? ` and ${kinds.length - namedKinds} more` : ''
  return `${kinds.slice(0, namedKinds).join(', ')}${more}${isAsExpected(pair) ? ' (as expected)' : ''}`
}

const cell = (pair: PairResult | undefined): Html =>
  pair === undefined
    ? html`<td class="empty">not run</td>`
    : html`<td><a href="#${anchorOf(pair)}">${badge(pair)}</a><span class="note">${noteOf(pair)}</span></td>`

/** A cell leads to what broke, which holds the token, or else to what the verdict rests on. */
const anchorOf = (pair: PairResult): string => (pair.violations.length > 0 ? storyAnchor(pair) : pairAnchor(pair))

const layerOf = ({ implementation, sink }: PairResult): string => `${implementation}, ${sink} sink`
const unique = (names: readonly string[]): string[] => [...new Set(names)]

export function matrix(pairs: readonly PairResult[]): Html {
  const layers = unique(pairs.map(layerOf))
  const scenarios = unique(pairs.map(({ scenario }) => scenario))
  const scenariosDown = scenarios.length >= layers.length
  const [rows, columns] = scenariosDown ? [scenarios, layers] : [layers, scenarios]
  const find = (row: string, column: string) =>
    pairs.find((pair) => {
      const [layer, scenario] = scenariosDown ? [column, row] : [row, column]
      return layerOf(pair) === layer && pair.scenario === scenario
    })
  return html`<div class="scroll" role="region" aria-label="Verdicts of every pair" tabindex="0">
<table class="matrix">
<thead><tr><th scope="col">${scenariosDown ? 'Scenario' : 'Layer'}</th>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => html`<tr><th scope="row">${row}</th>${columns.map((column) => cell(find(row, column)))}</tr>\n`)}</tbody>
</table>
</div>`
}
