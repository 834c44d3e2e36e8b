/**
 * Article 002, third pattern as in 002-owner-token.ts. The article does not define acknowledgement;
 * here a message that was skipped, or whose lock was lost, is not committed, and is redelivered.
 */
import { allShapes } from '../parts/client-of.ts'
import { ownerToken, scriptedLock } from './002-owner-token.ts'

export default ownerToken({
  id: '002-owner-token-nack-on-skip',
  about:
    'Scripts take the key with an owner token and complete it only as its owner; the rest comes again (article 002).',
  nothing: { status: 'retry', reason: 'the key is being processed, or the lock was lost' },
  lockOf: scriptedLock,
  shapes: allShapes,
})
