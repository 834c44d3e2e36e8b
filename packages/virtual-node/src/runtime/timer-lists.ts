import type { QueuedEvent } from '../kernel/event-queue.ts'

/**
 * Timers that are due, in Node's order: list by list, a list for each delay, the one that is due
 * first before the others (lib/internal/timers.js of Node 20). Left out: that a list whose first
 * timers were cleared may be taken sooner.
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
