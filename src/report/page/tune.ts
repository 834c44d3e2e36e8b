/**
 * Tuned time limits as one self-contained HTML page: a curve for each, its violations, and the
 * evidence for the verdicts.
 */
import { durationText } from '../../contract/results/time-text.ts'
import type { TunedLayer, TunedLimit, TuneResults } from '../../contract/results/tune.ts'
import { breakOf } from '../break.ts'
import { counted } from '../figures.ts'
import { answerOf, brokenText, refutedRung, worstText } from '../tune-summary.ts'
import { type Html, html } from './html.ts'
import { layerSection } from './layer-section.ts'
import { pageOf } from './page-of.ts'
import { tuneCurve } from './tune-curve.ts'

function limitSection(tuned: TunedLimit): Html {
  return html`<h3>${tuned.limit}</h3>
<p class="lede">${durationFirst(answerOf(tuned))}. At worst: ${worstText(tuned.worstCase)}.</p>
${tuneCurve(tuned)}
<div class="scroll" role="region" aria-label="Values of the ${tuned.limit}" tabindex="0"><table>
<thead><tr><th scope="col">${tuned.limit}</th><th scope="col">Verdict</th><th scope="col">Broke</th></tr></thead>
<tbody>
${tuned.rungs.map((rung) => html`<tr><th scope="row">${durationText(rung.valueMs)}</th><td>${rung.verdict}</td><td>${brokenText(rung)}</td></tr>\n`)}</tbody>
</table></div>`
}

const durationFirst = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

function section(layer: TunedLayer, { seed }: TuneResults): Html {
  // Only the deciding value of each limit is shown; the table and the data have the others.
  const deciding = layer.limits.flatMap((tuned) => {
    const rung = refutedRung(tuned)
    return rung?.pair && rung.violation ? [{ ...rung.pair, violations: [rung.violation] }] : []
  })
  const held = layer.limits.flatMap(({ rungs, holdsFromMs }) =>
    rungs.flatMap(({ valueMs, pair }) => (valueMs === holdsFromMs ? (pair ?? []) : [])),
  )
  return layerSection({
    implementation: layer.implementation,
    measure: html`${layer.limits.map(limitSection)}`,
    broken: deciding.map((pair) => breakOf([], pair, pair.violations[0]!)),
    evidenceOf: 'the answers about',
    pairs: [...deciding, ...held],
    seed,
  })
}

export function tunePage(results: TuneResults): string {
  const { seed, sink, exitCode, tool, node, layers, worstCase, interrupted } = results
  const failed = exitCode === 3
  const title = failed
    ? 'The harness failed: do not trust these answers'
    : interrupted
      ? 'Interrupted'
      : `How long the time limits of ${counted(layers.length, 'layer')} must be`
  const facts = [
    ['At worst', worstText(worstCase)],
    ['Seed', seed],
    ['Sink', sink],
    ['Exit code', exitCode],
    ['Made by', `${tool} on Node ${node}`],
  ] as const
  const answers = layers.flatMap(({ implementation, limits }) =>
    limits.map((tuned) => html`<p>${implementation}, ${tuned.limit}: ${answerOf(tuned)}.</p>`),
  )
  return pageOf(
    title,
    html`<header>
<p class="brand">Onceproof</p>
<div class="banner ${failed ? 'error' : exitCode === 0 ? 'pass' : 'unknown'}"><h1>${title}</h1>${answers}</div>
<dl class="again">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</header>
<main>
${layers.map((layer) => section(layer, results))}
</main>
<footer class="small">Data behind this page: <code>tune.json</code> beside it.</footer>`,
  )
}
