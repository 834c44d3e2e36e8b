/**
 * Article 004, third pattern as in 004-two-phase-lock.ts, with the other reading of an article that is silent about
 * errors: the consumer acknowledges them too. To the contract a failure is then a refusal with the error's text, and a
 * key that somebody else works on is `done` with nothing to show, as with the skipped duplicates of the other articles.
 */
import { InProgress } from './004-lock-and-record.ts'
import { twoPhaseLock } from './004-two-phase-lock.ts'

export default twoPhaseLock({
  id: '004-two-phase-lock-ack-on-error',
  about:
    'A short lock to write STARTED and again to write the result; errors are acknowledged (article 004, third pattern).',
  failed: (error) =>
    error instanceof InProgress ? { status: 'done', result: null } : { status: 'refused', error: error.message },
})
