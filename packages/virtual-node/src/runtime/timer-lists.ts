import type { QueuedEvent } from '../kernel/event-queue.ts'

/**
 * Due timers in Node's order: list by list, with one list for each delay, beginning with the list
 * of the timer that is due first (lib/internal/timers.js of Node 20). Not simulated: a list whose
 * first timers were cleared may come earlier.
 */
export function byList<Owner>(timers: readonly QueuedEvent<Owner>[]): readonly QueuedEvent<Owner>[] {
  const lists = new Map<number | null, QueuedEvent<Owner>[]>()
  for (const timer of timers) {
    const list = lists.get(timer.timerMs)
    if (list === undefined) lists.set(timer.timerMs, [timer])
    else list.push(timer)
  }
  return [...lists.values()].flat()
}
