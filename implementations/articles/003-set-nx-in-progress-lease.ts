/**
 * Article 003, Redis strategy as in 003-set-nx-in-progress.ts, configured as the article asks: the
 * lock lasts as long as processing may take: the lease, rounded up to whole seconds for EX.
 */
import { setNxInProgress } from './003-set-nx-in-progress.ts'

export default setNxInProgress({
  id: '003-set-nx-in-progress-lease',
  about:
    'IN_PROGRESS by SET NX for the lease instead of 5 seconds, the result by a plain SET (article 003, Redis strategy).',
  lockSecondsFor: (leaseMs) => Math.ceil(leaseMs / 1000),
  // The longest lease that scenarios draw.
  recoveryBoundMs: 10_000,
})
