/** Root causes, the story of the first, a table of all findings, then the stories of the others. */
import { positionText } from '../../contract/api/source-position.ts'
import type { Results } from '../../contract/results/results.ts'
import { acceptableText } from '../accepted-lines.ts'
import { type Break, breaksOf, isAsPlayed, isExample, kindsText } from '../break.ts'
import { counted, grouped } from '../figures.ts'
import { breakAnchor, pairAnchor } from './anchor.ts'
import { causeWords, counterexample } from './counterexample.ts'
import { type Html, html } from './html.ts'
import type { Pack } from './pack.ts'
import type { Pictures } from './picture.ts'

/** In their order; those of layers that are expected to break come after all others. */
export function breaksInOrder(
  results: Pick<Results, 'pairs' | 'findings'> & Partial<Pick<Results, 'timings' | 'rootCauses'>>,
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

const lede = 'One run may show several. Times are virtual; faults are marked ◆, effects ●.'
const ofFindings =
  'Findings in the order of their root causes. The first of each is made small, and the others are as they were drawn. '

/** The change first: a reader wants to know where to begin. */
function rootCard(one: Break, severalLayers: boolean): Html {
  const { root, why, sourceLine, implementation, sink } = one
  if (root === undefined) return html``
  const takes = root.triggers.length === 0 ? 'no fault needed' : root.triggers.join(', ')
  const layer = severalLayers ? `${implementation}, ${sink} sink: ` : ''
  const place = sourceLine === undefined ? null : html`<code>${positionText(sourceLine)}</code>: `
  const accept = acceptableText(one)
  return html`<li value="${root.id}"><h3><a href="#${breakAnchor(one)}">${root.title}</a></h3>
<span class="note">${layer}${counted(root.runs, 'run')} of ${counted(root.scenarios, 'scenario')}, ${takes}${root.known ? ', known by the baseline' : ''}; ${counted(root.findings.length, 'finding')}</span>
<p>${place}${why}</p>
${root.fix === null ? null : html`<p><b>Change:</b> ${root.fix}${root.instead === undefined ? null : html` <span class="note">See ${root.instead}.</span>`}</p>`}
${accept === null ? null : html`<p class="small">${accept}.</p>`}</li>
`
}

function rootCards(breaks: readonly Break[]): Html | null {
  const examples = breaks.filter((one) => one.root !== undefined && isExample(one))
  if (examples.length === 0) return null
  const severalLayers = new Set(examples.map(({ implementation, sink }) => `${implementation} ${sink}`)).size > 1
  return html`<section aria-labelledby="change"><h2 id="change">What to change: ${counted(examples.length, 'root cause')}</h2>
<ol class="roots">
${examples.map((one) => rootCard(one, severalLayers))}</ol></section>
`
}

export function findings(results: Results, pictures: Pictures, pack: Pack): Html | null {
  const [worst, ...others] = breaksInOrder(results)
  if (worst === undefined) return null
  const pairs = new Set(results.pairs.map(pairAnchor))
  const unshrunk = [worst, ...others].filter((one) => !one.shrunk && !isAsPlayed(one)).length
  const left = unshrunk === 0 ? '' : ` Shown as drawn, not made smaller: ${counted(unshrunk, 'run')}.`
  const all = html`<section aria-labelledby="broke"><h2 id="broke">All that broke: ${counted(others.length + 1, 'finding')}</h2>
<p class="lede">${worst.id === null ? null : ofFindings}${lede}${left}</p>
${index([worst, ...others])}
${others.map((one) => html`${counterexample(one, { open: false, pairs, pictures })}\n`)}</section>`
  return html`${rootCards([worst, ...others])}<section aria-labelledby="gravest"><h2 id="gravest">${others.length === 0 ? 'What broke, and how' : 'The likeliest finding'}</h2>
${counterexample(worst, { open: true, pairs, pictures })}</section>
${pack('All findings', all)}`
}
