import type { ChoiceStream } from '../kernel/choices.ts'
import type { QueuedEvent } from '../kernel/event-queue.ts'

/**
 * What a process that stood still takes when it goes on: first what was at hand as it stopped, then `next`, then `last`, a round of the
 * event loop later. Node runs timers that are due and looks at its sockets in turns. What comes next hangs on where it stood:
 *
 * - Timers: in `epoll_wait`, which SIGCONT ends with EINTR (signal(7)), or in a turn of a socket or an immediate that took long.
 * - Sockets: in a turn of a timer, for libuv takes the time only after the poll; or on its way out of `epoll_wait`, where it waited for its
 *   processor or its machine stood still.
 *
 * Which of the two it is is chosen. (libuv, "Design overview": the I/O loop, as of version 1.45.) Timers are taken list by list, a list
 * for each delay, the one that is due first before the others (lib/internal/timers.js of Node 20). Left out: that a list whose first timers were cleared may be taken sooner.
 */
export function resumption<Owner>(
  deferred: readonly QueuedEvent<Owner>[],
  pausedUs: number,
  chance: () => ChoiceStream,
): { readonly next: readonly QueuedEvent<Owner>[]; readonly last: readonly QueuedEvent<Owner>[] } {
  const atHand = deferred.filter(({ atUs }) => atUs <= pausedUs)
  const later = deferred.filter(({ atUs }) => atUs > pausedUs)
  const timers = byList(later.filter(({ timerMs }) => timerMs !== null))
  const heard = later.filter(({ timerMs }) => timerMs === null)
  const socketsFirst = timers.length > 0 && heard.length > 0 && chance().choose('sockets before timers', 2) === 1
  return socketsFirst
    ? { next: [...atHand, ...heard], last: timers }
    : { next: [...atHand, ...timers, ...heard], last: [] }
}

function byList<Owner>(timers: readonly QueuedEvent<Owner>[]): readonly QueuedEvent<Owner>[] {
  const lists = new Map<number | null, QueuedEvent<Owner>[]>()
  for (const timer of timers) {
    const list = lists.get(timer.timerMs)
    if (list === undefined) lists.set(timer.timerMs, [timer])
    else list.push(timer)
  }
  return [...lists.values()].flat()
}
