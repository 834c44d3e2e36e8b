/**
 * Article 003, first strategy as in 003-set-nx-in-progress.ts, with the window that it recommends
 * for payments and its code does not have: the result is kept for 48 hours instead of a day.
 */
import { setNxInProgress } from '../articles/003-set-nx-in-progress.ts'

export default setNxInProgress({
  id: '003-set-nx-in-progress-48-hours',
  about: 'SET NX for 5 seconds, and a result that is kept for 48 hours (article 003, its advice for payments).',
  recoveryBoundMs: 5000,
  keptSeconds: 48 * 60 * 60,
})
