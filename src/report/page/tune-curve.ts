/** A curve as SVG: the share of broken runs for each value of a time limit, in ascending order. */
import { durationText } from '../../contract/results/time-text.ts'
import type { TunedLimit, TuneRung } from '../../contract/results/tune.ts'
import { brokenText } from '../tune-summary.ts'
import { type Html, html } from './html.ts'

const plot = { width: 640, height: 160, left: 44, right: 16, top: 12, bottom: 28 }

/**
 * The position of a value. Values are spaced evenly, because each is about one and a half times the
 * one before.
 */
function placeOf({ runs, runsBroken }: TuneRung, at: number, of: number): { x: number; y: number } {
  const share = runs === 0 ? 0 : runsBroken / runs
  const across = plot.width - plot.left - plot.right
  const down = plot.height - plot.top - plot.bottom
  return {
    x: Math.round(plot.left + (across * at) / Math.max(1, of - 1)),
    y: Math.round(plot.top + down * (1 - share)),
  }
}

export function tuneCurve({ limit, rungs }: TunedLimit): Html {
  const places = rungs.map((rung, at) => placeOf(rung, at, rungs.length))
  const floor = plot.height - plot.bottom
  const right = plot.width - plot.right
  return html`<svg viewBox="0 0 ${plot.width} ${plot.height}" width="100%" style="max-width:${plot.width}px" role="img" aria-label="Share of runs that broke, by ${limit}" fill="none" stroke="currentColor" font-size="11">
<path d="M${plot.left} ${plot.top}V${floor}H${right}" opacity="0.4"/>
<g fill="currentColor" stroke="none"><text x="${plot.left - 6}" y="${plot.top + 4}" text-anchor="end">100 %</text><text x="${plot.left - 6}" y="${floor + 4}" text-anchor="end">0 %</text></g>
<polyline points="${places.map(({ x, y }) => `${x},${y}`).join(' ')}" stroke-width="2"/>
${rungs.map((rung, at) => html`<circle cx="${places[at]!.x}" cy="${places[at]!.y}" r="4" ${rung.verdict === 'holds' ? html`fill="none"` : html`fill="currentColor"`}><title>${durationText(rung.valueMs)}: ${brokenText(rung)} broke</title></circle><text x="${places[at]!.x}" y="${plot.height - 8}" text-anchor="middle" fill="currentColor" stroke="none">${durationText(rung.valueMs)}</text>\n`)}</svg>`
}
