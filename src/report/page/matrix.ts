/**
 * The verdicts as a table of layers and scenarios. The longer list forms the rows, so that the
 * table fits on a narrow screen.
 */

import { worstFirst } from '../../contract/api/severity.ts'
import type { PairResult, Results } from '../../contract/results/results.ts'
import { type Break, breakOf } from '../break.ts'
import { counted, faultsStruck, goalFigures, isAsExpected } from '../figures.ts'
import { verdictSigns } from '../labels.ts'
import { breakAnchor, pairAnchor } from './anchor.ts'
import { type Html, html } from './html.ts'

export const badge = (pair: PairResult): Html => {
  const { verdict } = pair
  const tone = verdict === 'violated' && isAsExpected(pair) ? 'expected' : verdict
  return html`<span class="badge ${tone}"><span aria-hidden="true">${verdictSigns[verdict]}</span> ${verdict}</span>`
}

/** The maximum number of findings to name in a cell. */
const named = 3

type Findings = Results['findings']

/** The text below a cell's verdict: the evidence, or links to the violations. */
function noteOf(pair: PairResult, findings: Findings): Html {
  if (pair.verdict !== 'violated') {
    const { reached, of } = goalFigures(pair)
    const surprise = pair.expect === 'broken' ? ', expected to break' : ''
    return html`${counted(pair.runs, 'run')}, ${counted(faultsStruck(pair), 'fault')}, goals ${reached}/${of}${surprise}`
  }
  const breaks = breaksOfPair(pair, findings)
  const links = breaks.slice(0, named).map((one, at) => html`${at > 0 ? ', ' : ''}${breakLink(one)}`)
  const more = breaks.length > named ? ` and ${breaks.length - named} more` : ''
  return html`${links}${more}${isAsExpected(pair) ? ' (as expected)' : ''}`
}

export const breakLink = (one: Break): Html =>
  html`<a href="#${breakAnchor(one)}">${one.id === null ? '' : `${one.id} `}${one.cause.kind}</a>`

/** The distinct violations of a pair, the most severe first. */
function breaksOfPair(pair: PairResult, findings: Findings): Break[] {
  const found = [...pair.violations].sort(worstFirst)
  const breaks = new Map<string, Break>()
  for (const violation of found) {
    const one = breakOf(findings, pair, violation)
    if (!breaks.has(breakAnchor(one))) breaks.set(breakAnchor(one), one)
  }
  return [...breaks.values()]
}

const cell = (pair: PairResult | undefined, findings: Findings): Html =>
  pair === undefined
    ? html`<td class="empty">not run</td>`
    : html`<td><a href="#${pairAnchor(pair)}">${badge(pair)}</a><span class="note">${noteOf(pair, findings)}</span></td>`

const layerOf = ({ implementation, sink }: PairResult): string => `${implementation}, ${sink} sink`
const unique = (names: readonly string[]): string[] => [...new Set(names)]

export function matrix({ pairs, findings }: Pick<Results, 'pairs' | 'findings'>): Html {
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
${rows.map((row) => html`<tr><th scope="row">${row}</th>${columns.map((column) => cell(find(row, column), findings))}</tr>\n`)}</tbody>
</table>
</div>`
}
