/** The orders that were explored before runs were drawn: a table with a row for each bound. */
import type { ExploredLayer, Results } from '../../contract/results/results.ts'
import { counted, grouped, sizeText } from '../figures.ts'
import { layerName } from '../layers.ts'
import { type Html, html } from './html.ts'

type Level = ExploredLayer['levels'][number]

export function exploredOrders({ explored = [] }: Pick<Results, 'explored'>): Html | null {
  if (explored.length === 0) return null
  return html`<section aria-labelledby="explored"><h2 id="explored">Explored orders</h2>
<p class="lede">Before runs were drawn, every order of two deliveries of one key was played without faults, and one order for each place of one fault. An order that begins like a played one was left out: it differs only in steps that do not affect each other.</p>
<table><thead><tr><th scope="col">Layer</th><th scope="col">Faults</th><th scope="col">Places</th><th scope="col">Orders</th><th scope="col">Complete</th></tr></thead>
<tbody>${explored.map((layer) => layer.levels.map((level) => row(layer, level)))}</tbody></table>
${explored.map(tail)}</section>`
}

const row = (layer: ExploredLayer, { faults, placements, placementsPlayed, orders, complete }: Level): Html =>
  html`<tr><th scope="row">${layerName(layer)}</th><td>${faults}</td><td>${grouped(placementsPlayed)} of ${grouped(placements)}</td><td>${grouped(orders)}</td><td>${complete ? 'yes' : 'no'}</td></tr>\n`

function tail(layer: ExploredLayer): Html {
  const { runs, leftOut, smallest } = layer
  const found =
    smallest === undefined
      ? 'no order violated an invariant.'
      : html`the smallest order that breaks it has ${sizeText(smallest)}: <code>${smallest.replay}</code>`
  return html`<p class="note">${layerName(layer)}: ${counted(runs, 'run')}, ${grouped(leftOut)} orders left out; ${found}</p>\n`
}
