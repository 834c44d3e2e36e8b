/** Which events of a history its story tells: those that led to the violation, weighed, and few enough to be read. */
import type { History, HistoryEvent } from '../contract/history.ts'
import type { Violation } from '../contract/verdict.ts'
import { scopeOf, weightOf } from './weigh-event.ts'

/** Events told at most; time, gaps and the ending come on top. */
const most = 17

export interface Chosen {
  readonly events: readonly HistoryEvent[]
  /** How many events of the same weight were left out after that one; null where none were. */
  readonly gap: { readonly afterSeq: number; readonly count: number } | null
}

/** The beginning and the end of what is too much. */
function thinned(events: readonly HistoryEvent[], room: number): HistoryEvent[] {
  const head = Math.ceil(room / 2)
  return [...events.slice(0, head), ...events.slice(events.length - (room - head))]
}

/** The story ends with the last event that shows the violation. */
export function chooseEvents(history: History, violation: Violation): Chosen {
  const until = Math.max(...violation.events, 0)
  const scope = scopeOf(history, violation, until)
  const byWeight: HistoryEvent[][] = [[], [], [], [], []]
  for (const event of history.events) {
    const weight = event.seq > until ? null : weightOf(event, scope)
    if (weight !== null) byWeight[weight]!.push(event)
  }
  const chosen: HistoryEvent[] = []
  let gap: Chosen['gap'] = null
  for (const alike of byWeight) {
    const room = most - chosen.length
    if (alike.length <= room) {
      chosen.push(...alike)
      continue
    }
    const kept = thinned(alike, room)
    const afterSeq = kept[Math.ceil(room / 2) - 1]?.seq ?? chosen[0]?.seq
    if (afterSeq !== undefined) gap = { afterSeq, count: alike.length - room }
    chosen.push(...kept)
    break
  }
  return { events: chosen.sort((a, b) => a.seq - b.seq), gap }
}
