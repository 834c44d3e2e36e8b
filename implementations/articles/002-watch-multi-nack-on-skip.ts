/**
 * Article 002, fourth pattern as in 002-watch-multi.ts. Acknowledgement is not defined; here a
 * skipped message, or one with a lost lock, is not committed, and is redelivered.
 */
import { ownerToken } from './002-owner-token.ts'
import { watchedLock } from './002-watch-multi.ts'

export default ownerToken({
  id: '002-watch-multi-nack-on-skip',
  about:
    'GET and SET NX take the key, WATCH and MULTI complete it only as its owner; the rest comes again (article 002).',
  nothing: { status: 'retry', reason: 'the key is being processed, or the lock was lost' },
  lockOf: watchedLock,
})
