/**
 * The layer of 002-owner-token.ts (article 002, third pattern), with FAILED after a failed effect.
 * A comment of acquire_lock.lua says that such a key may be taken again; no code writes FAILED.
 *
 * The script is unchanged. The article does not say who writes FAILED: here, the error branch calls
 * release_lock.lua, so that FAILED replaces only the attempt's own record. It lives for a day, like
 * a result. A skipped message is redelivered, because FAILED is meant for a retry.
 */
import { ownerToken, scriptedLock } from '../articles/002-owner-token.ts'

const recordSeconds = 86_400

export default ownerToken({
  id: '002-owner-token-failed',
  about:
    'The owner token (article 002). A failed effect leaves FAILED; the key may then be taken again (a comment of its script).',
  nothing: { status: 'retry', reason: 'nothing was returned' },
  lockOf: scriptedLock,
  failed: (_, name, owner, lock) => lock.release(name, owner, JSON.stringify({ status: 'FAILED' }), recordSeconds),
})
