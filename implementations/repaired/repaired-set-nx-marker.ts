/**
 * A marker before the effect, repaired, for a sink that takes no key: the marker of
 * 000-set-nx-marker, 001-set-nx-delete, 002-get-then-processing, 002-check-and-set,
 * 004-two-phase-lock.
 *
 * The marker is the begin of the effect: it ends after the retention, not after minutes, and is
 * never taken over. Only a refusal deletes it, because only that proves that nothing has happened.
 * Consumers that find the marker do not acknowledge. Assumes one server that loses no write.
 */
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { isSinkRefusal } from '../../src/contract/api/sink.ts'
import { openRecords } from './parts/owners-records.ts'
import { isOfUnknownAge, look, skewMs } from './parts/scripts.ts'

const takeScript = `-- take: KEYS[1] marker; ARGV owner, fingerprint, life (ms), produced at, retention (ms), skew (ms), patience (ms), marker
${look}if stored then
  if stored.owner == ARGV[1] then return {'taken'} end
  if ageMs >= 0 and ageMs < tonumber(ARGV[7]) then return {'in-progress'} end
  return {'silent'}
end
${isOfUnknownAge}redis.call('SET', KEYS[1], ARGV[8], 'PX', ARGV[3])
return {'taken'}
`

type Reply = ['taken' | 'in-progress' | 'silent' | 'key-reused' | 'unknown-age'] | ['completed', string]

export default defineImplementation({
  id: 'repaired-set-nx-marker',
  about: 'A marker that outlives the retention, is deleted only on a refusal, and is never acknowledged by others.',
  expect: 'holds',
  accepts: [{ what: 'redis-data-loss', because: 'the record is the only memory, and one server keeps it' }],
  recoveryBoundMs: 60_000,
  shapes: ['single'],
  lacks: ['lease'],
  create({ redis, leaseMs, retentionMs, sink }) {
    const records = openRecords<Reply>(redis, takeScript, retentionMs)
    const patienceMs = 3 * leaseMs
    return {
      async handle({ key, payload, producedAt }) {
        const own = records.of({ key, payload })
        const marker = own.record('PROCESSING')
        const [reply, result] = await own.take(producedAt, retentionMs, skewMs, patienceMs, marker)
        if (reply === 'completed') return { status: 'done', result: JSON.parse(result) }
        if (reply === 'in-progress') return { status: 'retry', reason: 'another consumer has begun' }
        if (reply === 'silent') return { status: 'dead-letter', reason: 'in-doubt: who began has told nothing' }
        if (reply !== 'taken') return { status: 'dead-letter', reason: reply }
        try {
          return await own.complete(await sink.perform({ key, payload }))
        } catch (error) {
          if (isSinkRefusal(error)) await own.giveBack()
          throw error
        }
      },
      close: records.close,
    }
  },
})
