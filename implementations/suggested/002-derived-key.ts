/**
 * Article 002, second pattern as in 002-check-and-set.ts, with the other key that it allows: no
 * header, but a SHA-256 of a stable subset of the message's payload.
 *
 * Decided here: the subset is the whole payload, with its members sorted by name, because the
 * contract's payloads do not declare which members are stable. A skipped message is redelivered.
 */
import { createHash } from 'node:crypto'
import type { JsonValue } from '../../src/contract/api/json.ts'
import { checkAndSet } from '../articles/002-check-and-set.ts'

/** Members sorted by name, at every depth. */
function ordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(ordered)
  if (value === null || typeof value !== 'object') return value
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(members.map(([name, member]) => [name, ordered(member)]))
}

export default checkAndSet({
  id: '002-derived-key',
  about: 'A script sets PROCESSING under a hash of the payload, instead of a key in the header (article 002).',
  skipped: { status: 'retry', reason: 'PROCESSING' },
  keyOf: ({ payload }) =>
    createHash('sha256')
      .update(JSON.stringify(ordered(payload)))
      .digest('hex'),
})
