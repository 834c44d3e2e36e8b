/**
 * Article 000, second pattern as in 000-get-set-record.ts, with the alternative in the comment of
 * stateful_idempotency.py: a consumer that finds a held record skips and acknowledges the message.
 */
import { getSetRecord } from './000-get-set-record.ts'

export default getSetRecord({
  id: '000-get-set-record-skip',
  about: 'GET then SET of a record, and a message whose record is held is acknowledged (article 000, second pattern).',
  recoveryBoundMs: 300_000,
  held: { status: 'done', result: null },
})
