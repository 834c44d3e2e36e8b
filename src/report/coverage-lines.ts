/** What all runs of a layer reached together, for a terminal. */
import type { LayerCoverage, NeighbourCoverage } from '../contract/results/results.ts'
import { visible } from '../contract/results/visible.ts'
import { counted, grouped, percent } from './figures.ts'

/**
 * `coverage: reference: crash points 58 of 61 (95 %), pairs of neighboring commands 9 of 9
 * separated by a fault, 12 of 30 kinds of faults, script lines 100 of 100, 2 scripts never sent`
 */
export function coverageLine({ implementation, cells, neighbours, faults, scripts, neverSent }: LayerCoverage): string {
  const { covered, total } = cells
  const sum = (of: 'lines' | 'executed') => scripts.reduce((n, script) => n + script[of], 0)
  const lua = scripts.length === 0 ? '' : `, script lines ${grouped(sum('executed'))} of ${grouped(sum('lines'))}`
  const kinds = `${faults.struck.length} of ${counted(faults.struck.length + faults.never.length, 'kind')} of faults`
  const pairs = neighbours === undefined ? '' : `, ${pairsText(neighbours)}`
  const unsent = neverSent.length === 0 ? '' : `, ${counted(neverSent.length, 'script')} never sent`
  return `coverage: ${implementation}: crash points ${covered} of ${total} (${percent(covered, total)})${pairs}, ${kinds}${lua}${unsent}`
}

/** `pairs of neighboring commands 9 of 9 separated by a fault (by a pause 8)` */
export function pairsText({ total, separated, missed }: NeighbourCoverage): string {
  const { pause = null } = missed
  const paused = pause === null ? '' : `, by a pause ${total - pause.length}`
  return `pairs of neighboring commands ${separated} of ${total} separated by a fault${paused}`
}

/** Crash points, pairs and scripts that were not reached: at most `most` of each. */
export function openCellLines(
  { cells: { missed, unreached }, neighbours, neverSent }: LayerCoverage,
  most: number,
): string[] {
  const line = (title: string, items: readonly string[]) => {
    const more = items.length > most ? [`${items.length - most} more, in the report`] : []
    return items.length === 0 ? [] : [`  ${title}: ${[...items.slice(0, most), ...more].map(visible).join('; ')}`]
  }
  return [
    ...line('passed, never struck', missed),
    ...line('never separated by a pause', neighbours?.missed.pause ?? []),
    ...line(
      'passed by no run',
      unreached.map(({ cell, reason }) => `${cell} (${reason})`),
    ),
    ...line('scripts never sent', neverSent),
  ]
}
