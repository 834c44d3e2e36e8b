/** What broke: the gravest with its story, all in a table, then the stories of the others. */
import type { Results } from '../../contract/results/results.ts'
import { type Break, breaksOf, isAsPlayed, kindsText } from '../break.ts'
import { counted, grouped } from '../figures.ts'
import { breakAnchor, pairAnchor } from './anchor.ts'
import { causeWords, counterexample } from './counterexample.ts'
import { type Html, html } from './html.ts'
import type { Pack } from './pack.ts'
import type { Pictures } from './picture.ts'

/** The gravest first; those of layers that say so of themselves come after all others. */
export function breaksInOrder(
  results: Pick<Results, 'pairs' | 'findings'> & Partial<Pick<Results, 'timings'>>,
): Break[] {
  const expected = new Set(
    results.pairs.filter(({ expect }) => expect === 'broken').map(({ implementation }) => implementation),
  )
  const rank = ({ implementation }: Break) => (expected.has(implementation) ? 1 : 0)
  return breaksOf(results).sort((a, b) => rank(a) - rank(b))
}

const whyOf = ({ why }: Break): Html | null => (why === null ? null : html`<span class="why">${why}</span>`)

/** Roles stand there by name: on a phone the rows are blocks, which are no table to a screen reader. */
function row(one: Break, severalLayers: boolean): Html {
  const { id, implementation, sink, runs, seenIn, shrunk, faultCount, eventCount, replay, scenario } = one
  const size = `${counted(faultCount, 'fault')}, ${counted(eventCount, 'event')}`
  const layer = severalLayers ? html`<span class="note">${implementation}, ${sink} sink</span>` : null
  return html`<tr role="row"><th scope="row" role="rowheader"><a href="#${breakAnchor(one)}">${id ?? scenario}</a>${layer}</th>
<td role="cell"><span class="kind">${kindsText(one)}</span>${whyOf(one)}<span class="note">${id === null ? null : causeWords(one)}</span></td>
<td role="cell">${grouped(runs)}<span class="note">${seenIn.map((place) => place.scenario).join(', ')}</span></td>
<td role="cell">${isAsPlayed(one) ? 'as it was played' : shrunk ? 'shrunk' : 'not shrunk'}<span class="note">${size}</span></td>
<td role="cell"><div class="token"><code>${replay}</code><button type="button" class="copy" hidden>Copy</button></div></td></tr>
`
}

function index(breaks: readonly Break[]): Html {
  const severalLayers = new Set(breaks.map(({ implementation, sink }) => `${implementation} ${sink}`)).size > 1
  const heads = ['Finding', 'What and why', 'Runs, and where', 'Run that is shown', 'Replay']
  return html`<div class="scroll" role="region" aria-label="All findings" tabindex="0">
<table class="matrix findings" role="table">
<thead role="rowgroup"><tr role="row">${heads.map((head) => html`<th scope="col" role="columnheader">${head}</th>`)}</tr></thead>
<tbody role="rowgroup">
${breaks.map((one) => row(one, severalLayers))}</tbody>
</table>
</div>`
}

const lede =
  'Violations of one layer are one finding where invariant, kind, commands on the path, the step that decided it and the faults that it takes are the same; so are those whose facts give one reason, by one step or along one path. One run may show several. Times are virtual; faults are marked ◆, effects ●.'

export function findings(results: Results, pictures: Pictures, pack: Pack): Html | null {
  const [worst, ...others] = breaksInOrder(results)
  if (worst === undefined) return null
  const pairs = new Set(results.pairs.map(pairAnchor))
  const unshrunk = [worst, ...others].filter((one) => !one.shrunk && !isAsPlayed(one)).length
  const left = unshrunk === 0 ? '' : ` Shown as drawn, not made smaller: ${counted(unshrunk, 'run')}.`
  const all = html`<section aria-labelledby="broke"><h2 id="broke">All that broke: ${counted(others.length + 1, 'finding')}</h2>
<p class="lede">${lede}${left}</p>
${index([worst, ...others])}
${others.map((one) => html`${counterexample(one, { open: false, pairs, pictures })}\n`)}</section>`
  return html`<section aria-labelledby="gravest"><h2 id="gravest">${others.length === 0 ? 'What broke, and how' : 'The gravest finding'}</h2>
${counterexample(worst, { open: true, pairs, pictures })}</section>
${pack('All findings', all)}`
}
