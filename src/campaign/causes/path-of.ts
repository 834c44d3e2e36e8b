/**
 * The path of a violation: the labelled commands that Redis executed for its key before the
 * violation. Runs of one layer with the same violation and path are assumed to have one cause,
 * unless a sample of these runs shows different causes.
 */
import type { HistoryEvent } from '../../contract/api/history.ts'
import { indexHistory } from '../../contract/api/history-index.ts'
import type { Violation } from '../../contract/api/verdict.ts'
import type { Cause } from '../../contract/results/results.ts'
import type { RunResult } from '../types.ts'

/**
 * The distinct labels, sorted. For a violation without a key, the labels of all commands up to the
 * violation. Commands after the last fact of the violation are excluded. Traces of a recorded run
 * do not change the path.
 */
export function pathOf({ history, executed }: Pick<RunResult, 'history' | 'executed'>, violation: Violation): string[] {
  const { key, events } = violation
  const last = events.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...events)
  const labels = new Set<string>()
  const handling = new Handling(key)
  let next = 0
  for (const { process, label, seq } of executed) {
    if (seq > last) break
    while (next < seq) handling.see(history.events[next++]!)
    if (key === null || handling.holds(process)) labels.add(label)
  }
  const { requests } = indexHistory(history)
  for (const seq of events) {
    const event = history.events[seq]!
    const { job } = (event.type === 'effect-applied' && requests.get(event.requestId)?.sent) || {}
    if (job !== undefined) labels.add(job.by)
  }
  return [...labels].sort()
}

/**
 * A violation with its path and its deciding step. Violating runs are grouped by this name before
 * they are shrunk.
 */
export function pathName({ invariant, kind, path, decidedBy }: Omit<Cause, 'needs'>): string {
  return `${invariant} ${kind}: ${path.join(', ')}${decidedBy === null ? '' : `; decided by ${decidedBy}`}`
}

/**
 * The processes that are handling a key: each from a delivery of the key until its answer, or until
 * the process ends.
 */
class Handling {
  readonly #open = new Map<number, string>()

  constructor(private readonly key: string | null) {}

  see(event: HistoryEvent): void {
    if (event.type === 'delivered' && event.key === this.key) this.#open.set(event.deliveryId, event.process)
    else if (event.type === 'answered' || event.type === 'threw') this.#open.delete(event.deliveryId)
    else if (event.type === 'process-ended')
      for (const [id, process] of this.#open) if (process === event.process) this.#open.delete(id)
  }

  holds(process: string): boolean {
    for (const one of this.#open.values()) if (one === process) return true
    return false
  }
}
