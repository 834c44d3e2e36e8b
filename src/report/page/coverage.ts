/**
 * The combined coverage of one layer's runs, with everything that they did not reach: crash points,
 * kinds of faults, script lines.
 */
import type { LayerCoverage } from '../../contract/results/results.ts'
import { pairsText, slotLines } from '../coverage-lines.ts'
import { counted, grouped, percent } from '../figures.ts'
import { type Html, html } from './html.ts'

const list = (items: readonly (string | Html)[]): Html => html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`

function section(title: string, items: readonly (string | Html)[], none: string): Html {
  return html`<section><h4>${title}</h4>${items.length === 0 ? html`<p class="note">${none}</p>` : list(items)}</section>`
}

function scripts({ scripts: all }: LayerCoverage): Html | null {
  if (all.length === 0) return null
  const lines = all.flatMap(({ script, neverExecuted }) =>
    neverExecuted.map(({ line, text }) => html`${script}, line ${line}: <code>${text}</code>`),
  )
  return section('Lines of Lua scripts that never ran', lines, `Every line of ${counted(all.length, 'script')} ran.`)
}

function unsent({ neverSent }: LayerCoverage): Html | null {
  if (neverSent.length === 0) return null
  const scripts = neverSent.map((script) => html`<code>${script}</code>`)
  return section('Lua scripts that were not sent', scripts, '')
}

/** For each kind of fault, the pairs of commands between which it never struck. */
function neverSeparated({ neighbours }: LayerCoverage): Html | null {
  if (neighbours === undefined) return null
  const items = Object.entries(neighbours.missed).flatMap(([kind, pairs]) =>
    pairs.length === 0 ? [] : [html`${kind}: ${pairs.join('; ')}`],
  )
  return section('Pairs of neighboring commands that no fault separated', items, 'None.')
}

function slots(layer: LayerCoverage): Html | null {
  const lines = slotLines(layer)
  return lines.length === 0 ? null : section('Keys and commands by slot of a Cluster', lines, '')
}

export function coverage(layer: LayerCoverage): Html {
  const { implementation, cells, neighbours, faults } = layer
  const { covered, total, missed, unreached } = cells
  return html`<details class="evidence"><summary><h3>${implementation}</h3>
<span class="note">crash points ${grouped(covered)} of ${grouped(total)} (${percent(covered, total)}), ${neighbours === undefined ? '' : `${pairsText(neighbours)}, `}${counted(faults.struck.length, 'kind')} of faults struck</span></summary>
<div class="columns">
${section('Crash points that were not crash-tested', missed, 'None.')}
${section(
  'Crash points that no run reached',
  unreached.map(({ cell, reason }) => `${cell}: ${reason}`),
  'None.',
)}
${neverSeparated(layer)}
${slots(layer)}
${section('Kinds of faults that never happened', faults.never, 'None.')}
${scripts(layer)}
${unsent(layer)}
</div></details>`
}
