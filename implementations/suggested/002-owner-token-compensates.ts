/**
 * Article 002, third pattern as in 002-owner-token.ts, with the compensation that it asks for: an
 * attempt that finds its lock lost at the release cancels its effect, before it returns nothing.
 *
 * Decided here: the sink can cancel a request by its reference, which is the owner token. No code
 * is printed: a compensation that fails or never begins leaves no trace, so it is as reliable as
 * its process. A skipped message is redelivered, because the attempt with the key may have failed.
 * The lock is as short as the lease, because few effects outlast the article's 5 minutes.
 */
import { ownerToken, scriptedLock } from '../articles/002-owner-token.ts'

export default ownerToken({
  id: '002-owner-token-compensates',
  about: 'The owner token, and an attempt that has lost its lock cancels its own effect (article 002, its edge case).',
  nothing: { status: 'retry', reason: 'nothing was returned' },
  sinks: ['cancellable'],
  lockOf: scriptedLock,
  secondsFor: (leaseMs) => Math.ceil(leaseMs / 1000),
  lost: (sink, key, owner) => sink.cancel!(key, owner),
})
