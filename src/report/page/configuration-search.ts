/**
 * A configuration search as one self-contained HTML page: a table for each layer, its violations,
 * and the evidence for the other cells.
 */
import type {
  ConfigurationSearchCell,
  ConfigurationSearchLayer,
  ConfigurationSearchResults,
} from '../../contract/results/configuration-search.ts'
import type { PairResult, PairVerdict } from '../../contract/results/results.ts'
import { breakOf } from '../break.ts'
import { cellAt, rowsOf, safetyOf } from '../configuration-search-summary.ts'
import { counted, faultsStruck, goalFigures } from '../figures.ts'
import { breakAnchor, pairAnchor } from './anchor.ts'
import { guarantees } from './guarantees.ts'
import { type Html, html } from './html.ts'
import { layerSection } from './layer-section.ts'
import { badge } from './matrix.ts'
import { pageOf } from './page-of.ts'

/** The pair of a cell, with only the violation that the cell shows. */
function reportedPair({ pair, violation }: ConfigurationSearchCell): PairResult | null {
  return pair === null ? null : { ...pair, violations: violation === null ? [] : [violation] }
}

function noteOf({ violation }: ConfigurationSearchCell, pair: PairResult): string {
  if (violation !== null) return violation.invariant === 'at-most-once' ? violation.kind : violation.invariant
  const { reached, of } = goalFigures(pair)
  return `${counted(pair.runs, 'run')}, ${counted(faultsStruck(pair), 'fault')}, goals ${reached}/${of}`
}

function cell(at: ConfigurationSearchCell): Html {
  const pair = reportedPair(at)
  if (pair === null) return html`<td class="empty">n/a<span class="note">${at.reason ?? ''}</span></td>`
  const [violation] = pair.violations
  // Each cell has a separate story, because a configuration search has no findings.
  const anchor = violation === undefined ? pairAnchor(pair) : breakAnchor(breakOf([], pair, violation))
  return html`<td><a href="#${anchor}">${badge({ ...pair, expect: 'holds' })}</a><span class="note">${noteOf(at, pair)}</span></td>`
}

function table(layer: ConfigurationSearchLayer, results: ConfigurationSearchResults): Html {
  const { losses } = results
  return html`<div class="scroll" role="region" aria-label="Verdicts of ${layer.implementation}" tabindex="0">
<table class="matrix">
<thead><tr><th scope="col">Redis</th>${losses.map(({ title }) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>
${rowsOf(layer, results).map(({ id, title }) => html`<tr><th scope="row">${title}</th>${losses.map((loss) => cell(cellAt(layer, id, loss.id)))}</tr>\n`)}</tbody>
</table>
</div>`
}

function section(layer: ConfigurationSearchLayer, results: ConfigurationSearchResults): Html {
  const pairs = layer.cells.flatMap((at) => reportedPair(at) ?? [])
  return layerSection({
    implementation: layer.implementation,
    measure: html`<p class="lede">${sentence(safetyOf(layer, results))}</p>
${table(layer, results)}
<h3>What it guarantees on each</h3>
${guarantees(layer, results)}`,
    broken: pairs.flatMap((pair) => pair.violations.map((violation) => breakOf([], pair, violation))),
    evidenceOf: 'the verdicts on',
    pairs,
    seed: results.seed,
  })
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`

function headlineOf(results: ConfigurationSearchResults): { tone: PairVerdict; title: string; more: string } {
  const { exitCode, layers, configurations, interrupted } = results
  if (exitCode === 3)
    return {
      tone: 'error',
      title: 'The harness failed: do not trust these verdicts',
      more: 'The control did not break, or a run was not repeatable.',
    }
  const more = layers.map((layer) => `${layer.implementation}: ${safetyOf(layer, results)}`).join('. ')
  if (interrupted) return { tone: 'unknown', title: 'Interrupted', more: 'These are the results so far.' }
  const title = `What ${counted(layers.length, 'layer')} can survive on ${counted(configurations.length, 'Redis deployment')}`
  return { tone: exitCode === 0 ? 'pass' : 'unknown', title, more: `${more}.` }
}

export function configurationSearchPage(results: ConfigurationSearchResults): string {
  const { seed, sink, exitCode, tool, node, losses, configurations, layers } = results
  const { tone, title, more } = headlineOf(results)
  const facts = [
    ['Seed', seed],
    ['Sink', sink],
    ['Exit code', exitCode],
    ['Made by', `${tool} on Node ${node}`],
  ] as const
  const words = [...losses, ...configurations]
  return pageOf(
    title,
    html`<header>
<p class="brand">Onceproof</p>
<div class="banner ${tone}"><h1>${title}</h1><p>${more}</p></div>
<dl class="again">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</header>
<main>
${layers.map((layer) => section(layer, results))}
<section aria-labelledby="words"><h2 id="words">Columns and rows</h2>
<dl class="words">${words.map((word) => html`<div><dt>${word.title}</dt><dd>${sentence(word.about.replace(/\.$/, ''))}</dd></div>\n`)}</dl></section>
</main>
<footer class="small">Data behind this page: <code>configurations.json</code> beside it.</footer>`,
  )
}
