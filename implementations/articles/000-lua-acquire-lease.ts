/**
 * Article 000, third pattern as in 000-lua-acquire.ts, configured as the article asks: the lock
 * lasts as long as the processing may take, which is the lease, rounded up to whole seconds for EX.
 */
import { luaAcquire } from './000-lua-acquire.ts'

export default luaAcquire({
  id: '000-lua-acquire-lease',
  about: 'A script takes the record for the lease instead of 5 minutes, a plain SET completes it (article 000, third).',
  lockSecondsFor: (leaseMs) => Math.ceil(leaseMs / 1000),
  // The longest lease that scenarios draw.
  recoveryBoundMs: 10_000,
})
