/**
 * Article 002, third pattern as in 002-owner-token.ts, with the compensation that it asks for in its critical branch and among
 * its edge cases: an attempt that finds its lock lost when it releases it takes its own effect back, before it returns nothing.
 *
 * Decided here: the sink can cancel a request by the reference that it carried, and the owner token is that reference. The
 * article names Sagas and prints no code: nothing is kept of a compensation that fails or never begins, so the branch is as
 * good as the process that runs it. A skipped message is delivered again, since the attempt that took the key may have
 * failed. The lock is as short as the lease (the article's 5 minutes are longer than most effects).
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
