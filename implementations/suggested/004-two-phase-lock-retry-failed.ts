/**
 * Article 004, third pattern as in 004-two-phase-lock.ts, with the retry strategy for FAILED that
 * its list of steps leaves open: a key that has failed is performed again at its next delivery.
 */
import { twoPhaseLock } from '../articles/004-two-phase-lock.ts'

export default twoPhaseLock({
  id: '004-two-phase-lock-retry-failed',
  about: 'The two-phase lock, and a key that is FAILED is performed again (article 004, its suggestion).',
  failed: ({ message }) => ({ status: 'retry', reason: message }),
  goesOn: ({ status }) => status === 'FAILED',
})
