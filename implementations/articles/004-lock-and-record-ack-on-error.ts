/**
 * Article 004, second pattern as in 004-lock-and-record.ts. The article does not define acknowledgement of errors; in
 * this variant the consumer acknowledges them too. For the contract a failure is then a refusal with the error's
 * text, and a lock of another consumer is `done` without a result, like the skipped duplicates of the other articles.
 */
import { InProgress, lockAndRecord } from './004-lock-and-record.ts'

export default lockAndRecord({
  id: '004-lock-and-record-ack-on-error',
  about:
    'A lock of 10 seconds around GET, effect and SET of the result; errors are acknowledged (article 004, second).',
  failed: (error) =>
    error instanceof InProgress ? { status: 'done', result: null } : { status: 'refused', error: error.message },
})
