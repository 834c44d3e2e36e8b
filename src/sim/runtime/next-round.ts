import type { Kernel } from '../kernel/kernel.ts'

/** Turns, their immediates, and the handles that were closed: a socket's `close` comes two events after the turn that destroyed it (`socket.ts`). */
const eventsOfARound = 3

/** Node's event loop goes round once more: does `work` behind all that is due now and what that brings about, at the same virtual time. */
export function inNextRound<Owner>(
  kernel: Pick<Kernel<Owner>, 'schedule'>,
  work: () => void,
  events = eventsOfARound,
): void {
  if (events === 0) work()
  else kernel.schedule(0, null, () => inNextRound(kernel, work, events - 1))
}
