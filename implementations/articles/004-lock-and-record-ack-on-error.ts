/**
 * Article 004, second pattern as in 004-lock-and-record.ts. The article leaves errors undefined;
 * here they are acknowledged. For the contract a failure is a refusal with the error's text, and a
 * lock of another consumer is `done` without a result, like other articles' skipped duplicates.
 */
import { InProgress, lockAndRecord } from './004-lock-and-record.ts'

export default lockAndRecord({
  id: '004-lock-and-record-ack-on-error',
  about:
    'A lock of 10 seconds around GET, effect and SET of the result; errors are acknowledged (article 004, second).',
  failed: (error) =>
    error instanceof InProgress ? { status: 'done', result: null } : { status: 'refused', error: error.message },
})
