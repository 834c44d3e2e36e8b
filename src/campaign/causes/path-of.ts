/**
 * The path of a violation: which labelled commands Redis executed for its key before it broke. Runs
 * of one layer that break in one way along one path are taken to have one cause, until a sample of
 * them says otherwise.
 */
import type { HistoryEvent } from '../../contract/api/history.ts'
import { indexHistory } from '../../contract/api/history-index.ts'
import type { Violation } from '../../contract/api/verdict.ts'
import type { Cause } from '../../contract/results/results.ts'
import type { RunResult } from '../types.ts'

/**
 * Labels, each once, sorted. Without a key: of all commands up to the violation. What was executed
 * between its last fact and the next one came after it; in a recorded run, traces stand there, and
 * the path is the same.
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
 * A way of breaking, the path to it, and the step that decided it. Violating runs are grouped by
 * this name before any of them is shrunk.
 */
export function pathName({ invariant, kind, path, decidedBy }: Omit<Cause, 'needs'>): string {
  return `${invariant} ${kind}: ${path.join(', ')}${decidedBy === null ? '' : `; decided by ${decidedBy}`}`
}

/**
 * Which processes are at work on a key: from a delivery until its answer, or until the process
 * ends.
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
