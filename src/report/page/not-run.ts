import type { Results } from '../../contract/results/results.ts'
import { counted } from '../figures.ts'
import { type Html, html } from './html.ts'

/** What was left out, which has no verdict. */
export function notRun({ notRun: left, interrupted }: Pick<Results, 'notRun' | 'interrupted'>): Html | null {
  if (left.length === 0) return null
  const why = interrupted ? 'The campaign was interrupted' : 'The campaign stopped at its first violation'
  return html`<section aria-labelledby="not-run"><h2 id="not-run">Not run: ${counted(left.length, 'pair')}</h2>
<p class="lede">${why}: there is no verdict on these.</p>
<ul>${left.map(({ implementation, scenario, sink }) => html`<li>${implementation} under ${scenario}, ${sink} sink</li>`)}</ul></section>`
}
