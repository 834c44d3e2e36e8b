/**
 * A table of small cells, colored by severity, each with a letter, so that color is never the only
 * difference.
 */

import { severity } from '../../contract/api/severity.ts'
import type { Cause } from '../../contract/results/results.ts'
import { type Html, html } from './html.ts'

/** The content of one cell. */
export interface HeatCell {
  readonly sign: string
  readonly tone: 'pass' | 'grave' | 'false' | 'late' | 'open'
  /** The text that is shown on hover and focus and read by screen readers. */
  readonly says: string
  /** The anchor on the page to which the cell links. */
  readonly anchor: string
}

/** Each kind of repeated effect has its own letter; each other invariant has one letter. */
const ofKinds: readonly (readonly [begins: string, sign: string, means: string])[] = [
  ['duplicate', 'D', 'effect twice: two attempts at once, or the first left no record'],
  ['zombie', 'Z', 'effect twice: an attempt that outlived its lease'],
  ['repeat-after-crash', 'C', 'effect twice: after a crash'],
  ['repeat-after-error', 'E', 'effect twice: after an error although the effect was applied'],
  ['repeat-after-loss', 'L', 'effect twice: the record was gone'],
]

const ofInvariants: Readonly<Record<string, readonly [sign: string, means: string]>> = {
  'no-false-done': ['F', 'an answer claimed an effect that had not happened'],
  'no-lost-message': ['M', 'a message was lost'],
  'bounded-stall': ['S', 'a message was delayed for too long'],
  'payload-bound': ['P', 'another payload was mistaken for the first'],
  'same-result': ['R', 'a duplicate got another result'],
  'no-needless-park': ['N', 'dead-lettered without a cause'],
  'no-immortal-keys': ['K', 'data stays in Redis forever'],
}

type Broken = Pick<Cause, 'invariant' | 'kind'>

/** The letter of a violation, with its meaning. */
export function signOf({ invariant, kind }: Broken): readonly [sign: string, means: string] {
  const own = invariant === 'at-most-once' ? ofKinds.find(([begins]) => kind.startsWith(begins)) : undefined
  return own === undefined ? (ofInvariants[invariant] ?? ['O', 'an invariant of the scenario’s own']) : [own[1], own[2]]
}

/**
 * The severity of a violation. A repeated effect is the most severe; then false answers and losses;
 * then late or wrong results.
 */
export function toneOf({ invariant }: Broken): HeatCell['tone'] {
  const rank = severity(invariant)
  return rank === 0 ? 'grave' : rank <= severity('no-lost-message') ? 'false' : 'late'
}

export interface HeatTable {
  readonly label: string
  /** The heading of the first column. */
  readonly corner: string
  readonly columns: readonly string[]
  readonly rows: readonly { readonly head: string; readonly cells: readonly (HeatCell | null)[] }[]
  /** The meanings of the signs that are used in the table. */
  readonly legend: Legend
}

/** The meaning and color of each sign. */
export type Legend = Map<string, { readonly means: string; readonly tone: HeatCell['tone'] }>

export function heatTable({ label, corner, columns, rows, legend }: HeatTable): Html {
  return html`<div class="scroll heat" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr><th scope="col">${corner}</th>${columns.map((column) => html`<th scope="col"><span>${column}</span></th>`)}</tr></thead>
<tbody>
${rows.map(({ head, cells }) => html`<tr><th scope="row">${head}</th>${cells.map(cellHtml)}</tr>\n`)}</tbody>
</table></div>
<ul class="heat-legend"><li><b class="pass">✓</b> held</li>${[...legend].map(([sign, { means, tone }]) => html`<li><b class="${tone}">${sign}</b> ${means}</li>`)}</ul>`
}

function cellHtml(cell: HeatCell | null): Html {
  if (cell === null)
    return html`<td class="none"><span aria-hidden="true">·</span><span class="says">not run</span></td>`
  const { sign, tone, says, anchor } = cell
  return html`<td class="${tone}"><a class="cell" href="#${anchor}"><span aria-hidden="true">${sign}</span><span class="says">${says}</span></a></td>`
}

/**
 * On hover and focus, the bottom of the window shows a cell's sentence, which is never clipped
 * there. Screen readers read it aloud.
 */
export const heatStyle = `
.heat{position:relative}
:root{--grave:#a01c16;--on-grave:#fff;--false:#a84a06;--on-false:#fff;--late:#fbefd2;--on-late:#6b4900}
@media (prefers-color-scheme:dark){:root{--grave:#ffa59d;--on-grave:#3a1210;--false:#f0a667;--on-false:#331a00;--late:#4a3a12;--on-late:#f7d68a}}
.heat table{width:auto;border-collapse:separate;border-spacing:2px;padding:.5rem}
.heat th,.heat td{border:0;padding:0}
.heat tbody th{vertical-align:middle;font-weight:500;font-size:.875rem;padding-right:.6rem;position:sticky;left:0;background:var(--panel);min-width:7rem;overflow-wrap:anywhere}
.heat thead th{vertical-align:bottom;font-size:.75rem}
.heat thead th+th span{writing-mode:vertical-rl;transform:rotate(180deg);white-space:nowrap;padding:.2rem 0}
.heat td{text-align:center;border-radius:.3rem;min-width:1.7rem;height:1.8rem;vertical-align:middle;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.heat .cell{display:block;line-height:1.8rem;font-weight:700;color:inherit;text-decoration:none;border-radius:.3rem}
.heat .pass,.heat-legend .pass{background:var(--pass-ground);color:var(--pass)}
.heat .grave,.heat-legend .grave{background:var(--grave);color:var(--on-grave)}.heat .false,.heat-legend .false{background:var(--false);color:var(--on-false)}
.heat .late,.heat-legend .late{background:var(--late);color:var(--on-late)}.heat .open,.heat-legend .open{background:var(--unknown-ground);color:var(--unknown)}.heat .none{color:var(--soft)}
.heat .says{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.heat .cell:hover .says,.heat .cell:focus-visible .says{position:fixed;z-index:9;left:1rem;right:1rem;bottom:1rem;width:auto;height:auto;max-width:68rem;margin:0 auto;clip-path:none;white-space:normal;text-align:left;font-weight:400;line-height:1.5;padding:.6rem .9rem;border-radius:.5rem;border:1px solid var(--line);background:var(--panel);color:var(--text);box-shadow:0 .3rem 1.5rem #0004}
.heat-legend{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.25rem;margin:.6rem 0 0;padding:0;font-size:.875rem;color:var(--soft)}
.heat-legend b{display:inline-block;min-width:1.5rem;padding:0 .2rem;text-align:center;border-radius:.3rem;print-color-adjust:exact;-webkit-print-color-adjust:exact}
@media print{.heat .says{display:none}}
`
