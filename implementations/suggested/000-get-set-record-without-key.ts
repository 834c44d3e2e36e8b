/**
 * Article 000, second pattern as in 000-get-set-record.ts, with the first lines of the article's
 * function: a message without a key is an error. It raises, so the message is redelivered until the
 * broker dead-letters it.
 */
import getSetRecord from '../articles/000-get-set-record.ts'
import { saysWithoutKey } from '../parts/says-without-key.ts'

export default saysWithoutKey(
  getSetRecord,
  {
    id: '000-get-set-record-without-key',
    about: 'GET, then SET a record; a message without a key is an error (article 000, second pattern).',
    withoutKey: 'refuses',
  },
  async () => {
    throw new Error('the message has no idempotency key')
  },
)
