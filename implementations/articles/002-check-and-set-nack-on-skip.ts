/**
 * Article 002, second pattern as in 002-check-and-set.ts. The article does not define
 * acknowledgement; in this variant a skipped message is not committed, and is redelivered.
 */
import { checkAndSet } from './002-check-and-set.ts'

export default checkAndSet({
  id: '002-check-and-set-nack-on-skip',
  about:
    'A script sets PROCESSING unless something is stored; PROCESSING is delivered again (article 002, second pattern).',
  skipped: { status: 'retry', reason: 'the key is being processed' },
})
