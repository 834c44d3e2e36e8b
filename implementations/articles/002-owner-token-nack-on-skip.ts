/**
 * Article 002, third pattern as in 002-owner-token.ts, with the other reading of an article that is silent on
 * acknowledgement: a message that was skipped, or whose lock was lost, is not committed, and is delivered again.
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
