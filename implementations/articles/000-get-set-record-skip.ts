/**
 * Article 000, second pattern as in 000-get-set-record.ts, with the other acknowledgement that the comment in
 * stateful_idempotency.py allows: a consumer that finds a held record skips the message, and so acknowledges it.
 */
import { getSetRecord } from './000-get-set-record.ts'

export default getSetRecord({
  id: '000-get-set-record-skip',
  about: 'GET then SET of a record, and a message whose record is held is acknowledged (article 000, second pattern).',
  recoveryBoundMs: 300_000,
  held: { status: 'done', result: null },
})
