import type { ChoiceStream } from '../kernel/choices.ts'
import type { QueuedEvent } from '../kernel/event-queue.ts'

/**
 * In which order a process that stood still takes what has waited for it. Node's event loop ends the round that it was in. Then it
 * runs the timers that are due, and then looks at its sockets: so it goes on after SIGCONT, which ends `epoll_wait` with EINTR
 * (signal(7)), and after a turn that took long. A process that waited for its processor, or stood still with its machine, leaves
 * `epoll_wait` with all that has come in, and runs its timers after that (libuv, "Design overview": the I/O loop). Which of the two it
 * is is chosen. Timers are taken list by list, a list for each delay, the one that is due first before the others
 * (lib/internal/timers.js of Node 20). Left out: that a list whose first timers were cleared may be taken sooner.
 */
export function resumption<Owner>(
  deferred: readonly QueuedEvent<Owner>[],
  pausedUs: number,
  chance: () => ChoiceStream,
): readonly QueuedEvent<Owner>[] {
  const atHand = deferred.filter(({ atUs }) => atUs <= pausedUs)
  const later = deferred.filter(({ atUs }) => atUs > pausedUs)
  const timers = byList(later.filter(({ timerMs }) => timerMs !== null))
  const heard = later.filter(({ timerMs }) => timerMs === null)
  if (timers.length === 0 || heard.length === 0) return [...atHand, ...timers, ...heard]
  const socketsFirst = chance().choose('sockets before timers', 2) === 1
  return socketsFirst ? [...atHand, ...heard, ...timers] : [...atHand, ...timers, ...heard]
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
