/** What all runs of one layer reached together, and what they did not: crash points, kinds of faults, script lines. */
import type { LayerCoverage } from '../../contract/results/results.ts'
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
  return section('Lua scripts that no run sent', scripts, '')
}

export function coverage(layer: LayerCoverage): Html {
  const { implementation, cells, faults } = layer
  const { covered, total, missed, unreached } = cells
  return html`<details class="evidence"><summary><h3>${implementation}</h3>
<span class="note">crash points ${grouped(covered)} of ${grouped(total)} (${percent(covered, total)}), ${counted(faults.struck.length, 'kind')} of faults struck</span></summary>
<div class="columns">
${section('Crash points that runs passed and no crash struck', missed, 'None.')}
${section(
  'Crash points that no run passed',
  unreached.map(({ cell, reason }) => `${cell}: ${reason}`),
  'None.',
)}
${section('Kinds of faults that never struck', faults.never, 'None.')}
${scripts(layer)}
${unsent(layer)}
</div></details>`
}
