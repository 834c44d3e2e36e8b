/**
 * A lock that ends by itself, repaired: the pattern of 001-get-set, 003-set-nx-in-progress,
 * 004-naive and 004-lock-and-record, only for a sink that gets the key and remembers it.
 *
 * The sink prevents a second effect; IN_PROGRESS only saves requests. So the record may end early,
 * and may be taken over. Only the owner writes, and errors delete nothing. A message so old that
 * the sink may have forgotten its key is dead-lettered. The request is assumed to arrive within a
 * second of that check.
 */
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { isSinkRefusal } from '../../src/contract/api/sink.ts'
import { openRecords } from './parts/owners-records.ts'
import { isOfUnknownAge, look, skewMs } from './parts/scripts.ts'

const reserveScript = `-- reserve: KEYS[1] record; ARGV owner, fingerprint, life (ms), produced at, retention (ms), skew (ms), lease (ms), record
${look}if stored and stored.owner ~= ARGV[1] and ageMs >= 0 and ageMs < tonumber(ARGV[7]) then return {'in-progress'} end
${isOfUnknownAge}redis.call('SET', KEYS[1], ARGV[8], 'PX', ARGV[3])
return {'reserved'}
`

type Reply = ['reserved' | 'in-progress' | 'key-reused' | 'unknown-age'] | ['completed', string]

export default defineImplementation({
  id: 'repaired-in-progress',
  about: 'IN_PROGRESS only saves requests: the sink gets the key, and answers a repeated request as the first.',
  expect: 'holds',
  recoveryBoundMs: 60_000,
  sinks: ['keyed'],
  leavesNoDoubtOn: ['keyed'],
  create({ redis, leaseMs, retentionMs, sink }) {
    const records = openRecords<Reply>(redis, reserveScript, retentionMs)
    return {
      async handle({ key, payload, producedAt }) {
        const own = records.of({ key, payload })
        const inProgress = own.record('IN_PROGRESS')
        const [reply, result] = await own.take(producedAt, retentionMs, skewMs, leaseMs, inProgress)
        if (reply === 'completed') return { status: 'done', result: JSON.parse(result) }
        if (reply === 'in-progress') return { status: 'retry', reason: 'the key is in progress' }
        if (reply !== 'reserved') return { status: 'dead-letter', reason: reply }
        try {
          return await own.complete(await sink.perform({ key, payload }))
        } catch (error) {
          // The sink remembers the refusal, too: an attempt that takes over later is refused as
          // well.
          if (isSinkRefusal(error)) return { status: 'refused', error: error.message }
          throw error
        }
      },
      close: records.close,
    }
  },
})
