/**
 * Article 002, third pattern as in 002-owner-token.ts, with a writer for the FAILED that
 * acquire_lock.lua lets through: a comment there calls it a state from which a key may be retaken.
 *
 * The reader is the article's, unchanged. The writer is decided here: the error branch calls
 * release_lock.lua, so that FAILED replaces only the attempt's own record. It lives for a day, like
 * a result. A skipped message is redelivered, because FAILED is meant for a retry.
 */
import { ownerToken, scriptedLock } from '../articles/002-owner-token.ts'

const recordSeconds = 86_400

export default ownerToken({
  id: '002-owner-token-failed',
  about:
    'The owner token, and a failed effect leaves FAILED, which may be taken again (article 002, a comment of its script).',
  nothing: { status: 'retry', reason: 'nothing was returned' },
  lockOf: scriptedLock,
  failed: (_, name, owner, lock) => lock.release(name, owner, JSON.stringify({ status: 'FAILED' }), recordSeconds),
})
