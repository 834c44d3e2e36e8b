/**
 * STARTED that another consumer may take over, repaired: the pattern of 000-get-set-record,
 * 000-lua-acquire, 000-decorator and 001-lua-server-time, for a sink that takes no key.
 *
 * A second script, the begin, runs between lock and effect. STARTED may be taken over after a lease
 * by Redis's clock, because nothing has been sent; BEGUN may not: its outcome is unknown. Only the
 * owner writes the result, and an error other than a refusal leaves the record as it is. Assumes
 * one server that loses no write.
 */
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { isSinkRefusal } from '../../src/contract/api/sink.ts'
import { openRecords } from './parts/owners-records.ts'
import { isOfUnknownAge, look, skewMs } from './parts/scripts.ts'

const acquireScript = `-- acquire: KEYS[1] record; ARGV owner, fingerprint, life (ms), produced at, retention (ms), skew (ms), lease (ms), record
${look}if stored then
  if stored.owner == ARGV[1] then return {'acquired'} end
  local patienceMs = tonumber(ARGV[7])
  if stored.status == 'BEGUN' then patienceMs = 3 * patienceMs end
  if ageMs >= 0 and ageMs < patienceMs then return {'held'} end
  if stored.status == 'BEGUN' then return {'silent'} end
end
if not stored then
  ${isOfUnknownAge}end
redis.call('SET', KEYS[1], ARGV[8], 'PX', ARGV[3])
return {'acquired'}
`

type Reply = ['acquired' | 'held' | 'silent' | 'key-reused' | 'unknown-age'] | ['completed', string]

export default defineImplementation({
  id: 'repaired-lua-acquire',
  about: 'A lock that others may take over only until its owner begins the effect by a second script.',
  expect: 'holds',
  accepts: [{ what: 'redis-data-loss', because: 'the record is the only memory, and one server keeps it' }],
  recoveryBoundMs: 60_000,
  shapes: ['single'],
  create({ redis, leaseMs, retentionMs, sink }) {
    const records = openRecords<Reply>(redis, acquireScript, retentionMs)
    return {
      async handle({ key, payload, producedAt }) {
        const own = records.of({ key, payload })
        const started = own.record('STARTED')
        const [reply, result] = await own.take(producedAt, retentionMs, skewMs, leaseMs, started)
        if (reply === 'completed') return { status: 'done', result: JSON.parse(result) }
        if (reply === 'held') return { status: 'retry', reason: 'another consumer holds the record' }
        if (reply === 'silent') return { status: 'dead-letter', reason: 'in-doubt: who began has told nothing' }
        if (reply !== 'acquired') return { status: 'dead-letter', reason: reply }
        if (!(await own.begin())) return { status: 'retry', reason: 'the lock was lost before the effect' }
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
