/**
 * Article 004, third pattern as in 004-two-phase-lock.ts, with the choice that its list of steps
 * names and its code leaves out: a STARTED record has a time, and an old one is taken over.
 *
 * Decided here, because the article gives no age: a record is old after the 5 seconds of the lock
 * that it names for short transitions, by the clients' clocks, like Go's time.Now().
 */
import { twoPhaseLock } from '../articles/004-two-phase-lock.ts'

const oldAfterMs = 5000

export default twoPhaseLock({
  id: '004-two-phase-lock-take-over',
  about: 'The two-phase lock, and a STARTED record older than 5 seconds is taken over (article 004, its suggestion).',
  recoveryBoundMs: 2 * oldAfterMs,
  failed: ({ message }) => ({ status: 'retry', reason: message }),
  started: () => ({ status: 'STARTED', startedAt: Date.now() }),
  goesOn: (found) => found.status === 'STARTED' && Date.now() - (found.startedAt ?? 0) > oldAfterMs,
})
