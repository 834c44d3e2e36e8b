/**
 * Results as one self-contained HTML page: violations with stories and replay commands, verdicts,
 * and the evidence for each. The page loads nothing from the network. Without scripts, everything
 * can be read except packed parts, which only long pages have. Equal results give equal pages,
 * because timings are omitted except for the crosschecks.
 */

import { invariantDocs } from '../../check/docs.ts'
import { invariantNames } from '../../contract/api/verdict.ts'
import type { PairResult, Results } from '../../contract/results/results.ts'
import type { Picture } from '../../contract/results/timeline.ts'
import { acceptedTexts } from '../accepted-lines.ts'
import { breakOf } from '../break.ts'
import { counted } from '../figures.ts'
import { unplayedSinkLines } from '../last-lines.ts'
import { layerName } from '../layers.ts'
import { requirementsOf } from '../requirements.ts'
import { browserScript } from './browser-script.ts'
import { noContext, type PageContext } from './context.ts'
import { counterexample } from './counterexample.ts'
import { coverage } from './coverage.ts'
import { crosschecks } from './crosscheck.ts'
import { evidence } from './evidence.ts'
import { exploredOrders } from './explored.ts'
import { breaksInOrder, type FindingsOptions, findings } from './findings.ts'
import { headlineOf } from './headline.ts'
import { type Html, html } from './html.ts'
import { matrix } from './matrix.ts'
import { asItIs, type Pack, packed } from './pack.ts'
import { type PageScripts, pageOf } from './page-of.ts'
import { PackedPictures, type Pictures, pictureElement } from './picture.ts'
import { whatBreaksWhat } from './what-breaks-what.ts'

/** The requirements of each layer; null if every layer was played on a plain sink only. */
function needs(pairs: readonly PairResult[]): Html | null {
  if (pairs.every(({ sink }) => sink === 'plain')) return null
  const names = [...new Set(pairs.map(({ implementation }) => implementation))]
  const needsOne = (name: string) => requirementsOf(pairs.filter(({ implementation }) => implementation === name))
  return html`<section aria-labelledby="needs"><h2 id="needs">What each layer needs</h2>
<dl class="words">${names.map((name) => html`<div><dt>${name}</dt><dd>${needsOne(name)}</dd></div>\n`)}</dl></section>`
}

function notReached({ coverage: layers }: Results): Html | null {
  if (layers.length === 0) return null
  return html`<section aria-labelledby="reached"><h2 id="reached">What was reached, and what was not</h2>
<p class="lede">Over all scenarios. A crash point is a boundary, with the command or script that passes it, and with a lease that is live or expired at that moment.</p>
${layers.map((layer) => html`${coverage(layer)}\n`)}</section>`
}

function control(pair: PairResult | null, openStory: boolean): Html | null {
  if (pair === null) return null
  const [first] = pair.violations
  const says =
    pair.verdict === 'violated'
      ? `The control broke in ${counted(pair.runs, 'run')}: this harness can see a duplicate effect.`
      : `The control did not break in ${counted(pair.runs, 'run')}. A harness that misses it proves nothing.`
  return html`<section aria-labelledby="control"><h2 id="control">Control: ${pair.implementation}</h2>
<p class="lede">A layer that is known to be broken runs at the end of every campaign. ${says}</p>
${first ? counterexample(breakOf([], pair, first), { open: openStory, pairs: new Set(), linked: false }) : null}</section>`
}

const again = ({ seed, tool, node, exitCode, bounded }: Results): Html => {
  const facts = [
    ['Seed', seed],
    ['Exit code', exitCode],
    ['Bounded by', bounded],
    ['Made by', `${tool} on Node ${node}`],
  ] as const
  return html`<dl class="again">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

const footer = html`<footer class="small">Data behind this page: <code>results.json</code> beside it.</footer>`

/** The maximum size of a page in bytes, so that it can be attached to a message. */
const pageBytes = 1_000_000
/**
 * The share of the space left on a page that pictures may use if parts are packed. Pictures are
 * already compressed, so packing a part that contains them makes them slightly larger.
 */
const shareWhenPacked = 0.9

/**
 * Makes the page. If the complete page would be too long, its long parts are packed, and pictures
 * get the remaining space. A replay is never packed, because it has no `results.json`, which the
 * text of a packed part mentions.
 */
export function page(results: Results, pictures: readonly Picture[] = [], context: PageContext = noContext): string {
  const known = new PackedPictures()
  const plain = laidOut(results, pictures, { pack: asItIs, context }, known)
  return plain.isWhole || isReplay(pictures)
    ? plain.text
    : laidOut(results, pictures, { pack: packed, context }, known).text
}

const isReplay = (pictures: readonly Picture[]): boolean => pictures.some(({ finding }) => finding === null)

/** Lays out the page. `isWhole`: nothing was left out, and the page is within the size limit. */
function laidOut(
  results: Results,
  pictures: readonly Picture[],
  options: Omit<FindingsOptions, 'pictures'>,
  known: PackedPictures,
): { readonly text: string; readonly isWhole: boolean } {
  const { pack } = options
  const between = whatBreaksWhat(results)
  const broken = (shown: Pictures) => findings(results, between, { ...options, pictures: shown })
  const whole = pageAround(results, between, isReplay(pictures) ? null : footer, pack)
  const scripts: PageScripts = {
    drawing: pictures.length === 0 ? undefined : browserScript('main'),
    unpacking: pack === packed ? browserScript('unpack') : undefined,
  }
  const inWords = broken(() => null)
  const words = whole(inWords, scripts)
  const left = pageBytes - Buffer.byteLength(words)
  const room = pack === packed ? Math.floor(left * shareWhenPacked) : left
  if (pictures.length === 0) return { text: words, isWhole: room >= 0 }
  if (inWords === null) return { text: whole(heldRun(pictures, room), scripts), isWhole: true }
  if (room < 0) return { text: words, isWhole: false }
  const shown = known.fitting(pictures, breaksInOrder(results), room)
  return { text: whole(broken(shown.of), scripts), isWhole: shown.isAll }
}

/** The picture of a replayed run that held. */
function heldRun([picture]: readonly Picture[], room: number): Html | null {
  const shown = picture === undefined ? null : pictureElement(picture, null)
  if (picture === undefined || shown === null || shown.text.length > room) return null
  return html`<section aria-labelledby="replayed"><h2 id="replayed">The run that was replayed</h2>
<details class="counterexample" id="run" open><summary><h3>${picture.timeline.title}</h3></summary>
${shown}</details></section>`
}

/** The page around the section of violations, with the scripts. */
function pageAround(
  results: Results,
  between: Html | null,
  last: Html | null,
  pack: Pack,
): (broke: Html | null, scripts: PageScripts) => string {
  const { pairs } = results
  const { tone, title, more } = headlineOf(results)
  const head = html`<header>
<p class="brand">Onceproof</p>
<div class="banner ${tone}"><h1>${title}</h1><p>${more}</p></div>
${again(results)}
</header>
<main>
${accepted(pairs)}`
  const judged = html`<section aria-labelledby="verdicts"><h2 id="verdicts">Verdicts</h2>
<p class="lede">Each layer ran under each scenario: real client code, with simulated time, network, Redis and broker, while faults struck. Follow a verdict to what it rests on.</p>
${matrix(results)}</section>
${needs(pairs)}
${notRun(results)}
${unplayedSinkLines(results).map((line) => html`<p>${line}.</p>\n`)}
<section aria-labelledby="rests"><h2 id="rests">What the verdicts rest on</h2>
${crosschecks(results.timings)}
${pairs.map((pair) => html`${evidence(pair, results)}\n`)}</section>
${exploredOrders(results)}
${notReached(results)}`
  const verdicts = pack('All verdicts and their evidence,', judged)
  const words = html`<section aria-labelledby="words"><h2 id="words">What is demanded</h2>
<dl class="words">${invariantNames.map((name) => html`<div><dt>${name}</dt><dd>${invariantDocs[name].demand}</dd></div>\n`)}</dl></section>
</main>
${last}`
  return (broke, scripts) =>
    pageOf(
      title,
      html`${head}\n${broke ?? between}\n${verdicts}\n${control(results.control, broke === null)}\n${words}`,
      scripts,
    )
}

/** The runs that accepted risks explain, grouped by layer. */
function accepted(pairs: readonly PairResult[]): Html | null {
  const layers = [...new Set(pairs.map(layerName))].map((name) => ({
    name,
    texts: acceptedTexts(pairs.filter((pair) => layerName(pair) === name)),
  }))
  if (layers.every(({ texts }) => texts.length === 0)) return null
  return html`<section aria-labelledby="accepted"><h2 id="accepted">Accepted</h2>
<p class="lede">Risks that the layer or the config accepts. Runs that only they explain are no violations, and are listed with each pair.</p>
<ul>${layers.flatMap(({ name, texts }) => texts.map((text) => html`<li>${name}: ${text}</li>`))}</ul></section>`
}

/** The pairs that were not played and have no verdict. */
function notRun({ notRun: left, interrupted }: Pick<Results, 'notRun' | 'interrupted'>): Html | null {
  if (left.length === 0) return null
  const why = interrupted ? 'The campaign was interrupted' : 'The campaign stopped at its first violation'
  return html`<section aria-labelledby="not-run"><h2 id="not-run">Not run: ${counted(left.length, 'pair')}</h2>
<p class="lede">${why}: there is no verdict on these.</p>
<ul>${left.map(({ implementation, scenario, sink }) => html`<li>${implementation} under ${scenario}, ${sink} sink</li>`)}</ul></section>`
}
