/**
 * Article 000, fourth pattern as in 000-decorator.ts, configured as the article asks: the lock
 * lasts as long as the processing may take, which is the lease, rounded up to whole seconds for EX.
 */
import { decorator } from './000-decorator.ts'

export default decorator({
  id: '000-decorator-lease',
  about:
    'A wrapper around a function whose lock lasts for the lease instead of 5 minutes (article 000, fourth pattern).',
  lockSecondsFor: (leaseMs) => Math.ceil(leaseMs / 1000),
  // The longest lease that scenarios draw.
  recoveryBoundMs: 10_000,
})
