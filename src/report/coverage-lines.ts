/** What all runs of a layer reached together, for a terminal. */
import type { LayerCoverage } from '../contract/results/results.ts'
import { visible } from '../contract/results/visible.ts'
import { counted, grouped, percent } from './figures.ts'

/** `coverage: reference: crash points 58 of 61 (95 %), 12 of 30 kinds of faults, script lines 100 of 100, 2 scripts never sent` */
export function coverageLine({ implementation, cells, faults, scripts, neverSent }: LayerCoverage): string {
  const { covered, total } = cells
  const sum = (of: 'lines' | 'executed') => scripts.reduce((n, script) => n + script[of], 0)
  const lua = scripts.length === 0 ? '' : `, script lines ${grouped(sum('executed'))} of ${grouped(sum('lines'))}`
  const kinds = `${faults.struck.length} of ${counted(faults.struck.length + faults.never.length, 'kind')} of faults`
  const unsent = neverSent.length === 0 ? '' : `, ${counted(neverSent.length, 'script')} never sent`
  return `coverage: ${implementation}: crash points ${covered} of ${total} (${percent(covered, total)}), ${kinds}${lua}${unsent}`
}

/** Crash points that no crash struck, those that no run passed, and scripts that no run sent: at most `most` of each. */
export function openCellLines({ cells: { missed, unreached }, neverSent }: LayerCoverage, most: number): string[] {
  const line = (title: string, items: readonly string[]) => {
    const more = items.length > most ? [`${items.length - most} more, in the report`] : []
    return items.length === 0 ? [] : [`  ${title}: ${[...items.slice(0, most), ...more].map(visible).join('; ')}`]
  }
  return [
    ...line('passed, never struck', missed),
    ...line(
      'passed by no run',
      unreached.map(({ cell, reason }) => `${cell} (${reason})`),
    ),
    ...line('scripts never sent', neverSent),
  ]
}
