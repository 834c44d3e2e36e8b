/**
 * Article 002, first pattern as in 002-get-then-processing.ts. The article does not define
 * acknowledgement; in this variant a skipped message is not committed, and is redelivered.
 */
import { getThenProcessing } from './002-get-then-processing.ts'

export default getThenProcessing({
  id: '002-get-then-processing-nack-on-skip',
  about: 'GET, SET PROCESSING, perform, SET the result; PROCESSING is delivered again (article 002, first pattern).',
  skipped: { status: 'retry', reason: 'the key is being processed' },
})
