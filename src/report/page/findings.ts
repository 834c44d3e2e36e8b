/**
 * Root causes with their stories, followed by a table of all findings and the stories of the other
 * findings.
 */
import type { Results } from '../../contract/results/results.ts'
import { type Break, breaksOf, isAsPlayed, isExample, kindsText } from '../break.ts'
import { counted, grouped } from '../figures.ts'
import { breakAnchor, pairAnchor } from './anchor.ts'
import type { PageContext } from './context.ts'
import { causeWords, counterexample } from './counterexample.ts'
import { type Html, html } from './html.ts'
import type { Pack } from './pack.ts'
import type { Pictures } from './picture.ts'
import { rootCard } from './root-card.ts'

/**
 * The violations in the order of `breaksOf`, except that layers that are expected to break come
 * last.
 */
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

/**
 * The roles of table elements are explicit, because on a phone rows are displayed as blocks, which
 * a screen reader would not treat as a table.
 */
function row(one: Break, severalLayers: boolean): Html {
  const { id, implementation, sink, runs, seenIn, shrunk, faultCount, eventCount, replay, scenario } = one
  const size = `${counted(faultCount, 'fault')}, ${counted(eventCount, 'event')}`
  const layer = severalLayers ? html`<span class="note">${implementation}, ${sink} sink</span>` : null
  return html`<tr role="row"><th scope="row" role="rowheader"><a href="#${breakAnchor(one)}">${id ?? scenario}</a>${layer}</th>
<td role="cell"><span class="kind">${kindsText(one)}</span>${whyOf(one)}<span class="note">${id === null ? null : causeWords(one)}</span></td>
<td role="cell">${grouped(runs)}<span class="note">${seenIn.map((place) => place.scenario).join(', ')}</span></td>
<td role="cell">${isAsPlayed(one) ? 'as played' : shrunk ? 'shrunk' : 'not shrunk'}<span class="note">${size}</span></td>
<td role="cell"><div class="token"><code>${replay}</code><button type="button" class="copy" hidden>Copy</button></div></td></tr>
`
}

function index(breaks: readonly Break[]): Html {
  const severalLayers = new Set(breaks.map(({ implementation, sink }) => `${implementation} ${sink}`)).size > 1
  const heads = ['Finding', 'What and why', 'Runs and scenarios', 'Shown run', 'Replay']
  return html`<div class="scroll" role="region" aria-label="All findings" tabindex="0">
<table class="matrix findings" role="table">
<thead role="rowgroup"><tr role="row">${heads.map((head) => html`<th scope="col" role="columnheader">${head}</th>`)}</tr></thead>
<tbody role="rowgroup">
${breaks.map((one) => row(one, severalLayers))}</tbody>
</table>
</div>`
}

const lede = 'One run may show several findings. Times are virtual. Faults are marked ◆, effects ●.'
const ofFindings = 'Ordered by root cause. The example of each is shrunk and has its story above. '

export interface FindingsOptions {
  readonly pictures: Pictures
  readonly pack: Pack
  readonly context: PageContext
}

/**
 * The root causes as cards. The change comes first, because a reader wants to know where to begin.
 */
function rootCards(breaks: readonly Break[], pairs: ReadonlySet<string>, options: FindingsOptions): Html | null {
  const { pictures, pack, context } = options
  const examples = breaks.filter(isRooted)
  if (examples.length === 0) return null
  const severalLayers = new Set(examples.map(({ implementation }) => implementation)).size > 1
  const cards = examples.map((one, at) => {
    const variants = breaks.filter((other) => other.root === one.root && other !== one)
    const story = counterexample(one, { open: at === 0, pairs, pictures })
    return rootCard(one, story, { variants, severalLayers, context })
  })
  const list = (of: readonly Html[]) => html`<ol class="roots">\n${of}</ol>`
  return html`<section aria-labelledby="change"><h2 id="change">What to change: ${counted(examples.length, 'root cause')}</h2>
${list(cards.slice(0, 1))}
${cards.length === 1 ? null : pack('The other root causes', list(cards.slice(1)))}</section>
`
}

const isRooted = (one: Break): boolean => one.root !== undefined && isExample(one)

/** Root causes, then `between`, then all findings. */
export function findings(results: Results, between: Html | null, options: FindingsOptions): Html | null {
  const breaks = breaksInOrder(results)
  if (breaks.length === 0) return null
  const { pictures, pack } = options
  const pairs = new Set(results.pairs.map(pairAnchor))
  const cards = rootCards(breaks, pairs, options)
  const others = breaks.filter((one) => !isRooted(one))
  const unshrunk = breaks.filter((one) => !one.shrunk && !isAsPlayed(one)).length
  const left = unshrunk === 0 ? '' : ` Not shrunk: ${counted(unshrunk, 'run')}.`
  const story = (one: Break, at: number) =>
    html`${counterexample(one, { open: cards === null && at === 0, pairs, pictures })}\n`
  const list = (
    of: Html,
  ) => html`<section aria-labelledby="broke"><h2 id="broke">${breaks.length === 1 ? 'What broke, and how' : `All ${counted(breaks.length, 'finding')}`}</h2>
<p class="lede">${cards === null ? null : ofFindings}${lede}${left}</p>
${of}</section>`
  // The first story is never packed, so that it can be read without scripts.
  const [first] = cards === null ? others : []
  const rest = first === undefined ? others : others.slice(1)
  const all = html`${index(breaks)}\n${rest.map((one, at) => story(one, first === undefined ? at : at + 1))}`
  const body = breaks.length === 1 ? null : pack('All findings', all)
  if (first === undefined) return html`${cards}${between}${body === null ? null : list(body)}`
  return html`${list(html`${story(first, 0)}${body}`)}${between}`
}
