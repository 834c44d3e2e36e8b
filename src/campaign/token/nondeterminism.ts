import type { History, HistoryEvent } from '../../contract/api/history.ts'
import { canonicalJson } from '../../contract/api/json.ts'

/** Two runs of one plan with the same choices differed, so no finding can be trusted. */
export class NondeterminismError extends Error {
  override readonly name = 'NondeterminismError'
}

/**
 * State of the adapter's modules outlived a run and changed a later one. The pair can be judged if
 * its modules are loaded again for every run.
 */
export class LeakError extends Error {
  override readonly name = 'LeakError'
}

/**
 * Describes the first event that differs; null if all are equal. Sequence numbers are ignored,
 * because traces are numbered, too.
 */
export function firstDifference(a: History, b: History): string | null {
  const left = a.events
  const right = b.events
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const [one, other] = [textOf(left[at]), textOf(right[at])]
    if (one !== other) return `event ${at}: ${one} in one run, ${other} in the other`
  }
  return null
}

/** The history without the traces of a recorded run. */
export function factsOf(history: History): History {
  return { header: history.header, events: history.events.filter(isFact) }
}

/** True if the event occurs in every run, recorded or not, so that it is not a trace. */
export const isFact = ({ type }: HistoryEvent): boolean => type !== 'log' && type !== 'command' && type !== 'network'

function textOf(event: HistoryEvent | undefined): string {
  if (event === undefined) return 'nothing'
  const { seq: _, ...rest } = event
  return canonicalJson(rest)
}
