/**
 * New coverage: items that no earlier run of the pair reached. An item is a goal, a crash point
 * that was struck, or a kind of fault at a labelled command together with the outcome of the
 * delivery that it struck. Schedules are not counted, because the schedules of nearly all runs
 * differ.
 */
import type { HistoryEvent } from '../../contract/api/history.ts'
import type { RunResult } from '../types.ts'

export function newCoverageOf(
  { history: { events }, cells, strikes }: Pick<RunResult, 'history' | 'cells' | 'strikes'>,
  reached: readonly string[],
): string[] {
  const items = [...reached.map((goal) => `goal ${goal}`), ...cells.map((cell) => `crash at ${cell}`)]
  if (strikes.length === 0) return items
  const labels = new Map(strikes.map(({ index, label }) => [index, label]))
  for (const [at, event] of events.entries()) {
    if (event.type !== 'fault-struck') continue
    items.push(`${event.fault} × ${labels.get(event.index) ?? 'no command'} × ${cameOf(events, at, event.process)}`)
  }
  return items
}

/** How the delivery that the process was handling ended after the fault struck. */
function cameOf(events: readonly HistoryEvent[], from: number, process: string | undefined): string {
  if (process === undefined) return 'no process'
  for (let at = from + 1; at < events.length; at++) {
    const event = events[at]!
    if (!('process' in event) || event.process !== process) continue
    if (event.type === 'answered') return event.outcome.status
    if (event.type === 'threw') return 'threw'
    if (event.type === 'process-ended') return event.how
  }
  return 'unanswered'
}
