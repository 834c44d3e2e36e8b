/**
 * An owner token, repaired: the pattern of 002-owner-token and 002-watch-multi, with a fence as the
 * token. It holds only with a sink that knows fences.
 *
 * A token that only Redis checks comes too late: it is compared after the effect. This token grows,
 * and the sink gets it first: `raise` makes the sink refuse lower tokens, and returns an earlier
 * effect.
 */
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import type { Sink } from '../../src/contract/api/sink.ts'
import { openRecords } from './parts/owners-records.ts'
import { look } from './parts/scripts.ts'

const acquireScript = `-- acquire: KEYS[1] record; ARGV owner, fingerprint, life (ms), lease (ms)
${look}if stored and stored.owner ~= ARGV[1] and ageMs >= 0 and ageMs < tonumber(ARGV[4]) then return {'held'} end
local time = redis.call('TIME')
local fence = math.max(time[1] * 1000000 + time[2], stored and tonumber(stored.fence) + 1 or 0)
local record = {status = 'PROCESSING', owner = ARGV[1], payload = ARGV[2], fence = string.format('%.0f', fence)}
redis.call('SET', KEYS[1], cjson.encode(record), 'PX', ARGV[3])
return {'locked', record.fence}
`

type Reply = ['held' | 'key-reused'] | ['locked' | 'completed', string]

/** If Redis has forgotten the highest fence, the sink reports it. */
async function raise(sink: Sink, key: string, fence: number) {
  const answer = await sink.raise!(key, fence)
  if (answer.status === 'refused') return raise(sink, key, answer.highest + 1)
  return answer.status === 'applied' ? answer : { status: 'clear' as const, fence }
}

export default defineImplementation({
  id: 'repaired-owner-token',
  about: 'The owner token is a fence: the sink gets it before the effect, and refuses every lower one from then on.',
  expect: 'holds',
  recoveryBoundMs: 60_000,
  sinks: ['fenced'],
  leavesNoDoubtOn: ['fenced'],
  create({ redis, leaseMs, retentionMs, sink }) {
    const records = openRecords<Reply>(redis, acquireScript, retentionMs)
    return {
      async handle({ key, payload }) {
        const own = records.of({ key, payload })
        const [reply, more] = await own.take(leaseMs)
        if (reply === 'completed') return { status: 'done', result: JSON.parse(more) }
        if (reply === 'held') return { status: 'retry', reason: 'another consumer holds the key' }
        if (reply === 'key-reused') return { status: 'dead-letter', reason: reply }
        const raised = await raise(sink, key, Number(more))
        const receipt =
          raised.status === 'applied' ? raised.receipt : await sink.perform({ key, payload, fence: raised.fence })
        return own.complete(receipt)
      },
      close: records.close,
    }
  },
})
