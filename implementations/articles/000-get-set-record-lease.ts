/**
 * Article 000, second pattern as in 000-get-set-record.ts, configured as the article asks: the lock
 * lasts as long as processing may take, which is the lease, rounded up to whole seconds for EX.
 */
import { getSetRecord } from './000-get-set-record.ts'

export default getSetRecord({
  id: '000-get-set-record-lease',
  about: 'GET then SET of a record whose lock lasts for the lease instead of 5 minutes (article 000, second pattern).',
  lockSecondsFor: (leaseMs) => Math.ceil(leaseMs / 1000),
  // The longest lease that scenarios draw.
  recoveryBoundMs: 10_000,
  held: { status: 'retry', reason: 'another consumer holds the record' },
})
