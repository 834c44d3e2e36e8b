/**
 * Article 004, third pattern as in 004-two-phase-lock.ts. The article leaves errors undefined; here
 * they are acknowledged. For the contract a failure is a refusal with the error's text, and a key
 * in progress elsewhere is `done` without a result, like other articles' skipped duplicates.
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
