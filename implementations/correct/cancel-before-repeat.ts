/**
 * Every attempt is on record before it sends. An attempt that takes over cancels all earlier ones
 * before it sends its own request. Why it is correct, and what it assumes:
 * docs/findings/correct-layers.md.
 */
import { randomUUID } from 'node:crypto'
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import type { JsonValue } from '../../src/contract/api/json.ts'
import type { Message, Outcome } from '../../src/contract/api/message.ts'
import { isSinkRefusal } from '../../src/contract/api/sink.ts'
import { fingerprint } from './parts/bind-payload.ts'
import { openClient } from './parts/open-client.ts'

/** Lets one attempt hold the key for a lease by the server's clock. Returns all earlier ones. */
const beginScript = `-- begin: KEYS[1] record; ARGV payload, attempt, lease ms, life ms
local record = cjson.decode(redis.call('GET', KEYS[1]) or '{"attempts":[]}')
if record.payload and record.payload ~= ARGV[1] then return {'reused'} end
if record.outcome then return {'decided', record.outcome} end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if record.untilMs and now < record.untilMs then return {'held'} end
local reply = {'begun'}
for place, attempt in ipairs(record.attempts) do
  if attempt ~= ARGV[2] then
    table.insert(reply, attempt)
  elseif place < #record.attempts then
    -- Sent again by the client, and taken over since: it is cancelled.
    return {'held'}
  end
end
if record.attempts[#record.attempts] ~= ARGV[2] then table.insert(record.attempts, ARGV[2]) end
record.payload, record.untilMs = ARGV[1], now + ARGV[3]
redis.call('SET', KEYS[1], cjson.encode(record), 'PX', ARGV[4])
return reply
`

/**
 * The newest attempt keeps the key while its process lives, because cancelling may take as long as
 * the effect.
 */
const renewScript = `-- renew: KEYS[1] record; ARGV attempt, lease ms, life ms
local record = cjson.decode(redis.call('GET', KEYS[1]) or '{"attempts":[]}')
if record.outcome or record.attempts[#record.attempts] ~= ARGV[1] then return 0 end
local time = redis.call('TIME')
record.untilMs = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[2]
redis.call('SET', KEYS[1], cjson.encode(record), 'PX', ARGV[3])
return 1
`

/** Only the newest attempt may decide or give the key back: all others are or will be cancelled. */
const endScript = `-- end: KEYS[1] record; ARGV attempt, outcome or nothing, life ms
local record = cjson.decode(redis.call('GET', KEYS[1]) or '{"attempts":[]}')
if record.attempts[#record.attempts] ~= ARGV[1] then return 0 end
record.untilMs = 0
if ARGV[2] ~= '' then record.outcome = ARGV[2] end
redis.call('SET', KEYS[1], cjson.encode(record), 'PX', ARGV[3])
return 1
`

export default defineImplementation({
  id: 'cancel-before-repeat',
  about:
    'Attempts are recorded before they send; an attempt that takes over cancels all earlier ones at the sink first.',
  expect: 'holds',
  accepts: [
    { what: 'redis-data-loss', because: 'the record is the only memory, and one server keeps it' },
    { what: 'asynchronous-failover', because: 'a replica may lack the record' },
    { what: 'copies-after-retention', because: 'the record ends after twice the retention' },
    { what: 'clock-steps-beyond-1-minute', because: 'its lease ends by the clock of Redis' },
  ],
  recoveryBoundMs: 60_000,
  sinks: ['cancellable'],
  has: ['compensation'],
  leavesNoDoubtOn: ['cancellable'],
  async create({ redis, leaseMs, retentionMs, sink }) {
    const client = openClient(redis)
    const lifeMs = 2 * retentionMs

    const end = async (key: string, attempt: string, outcome: Outcome | null): Promise<Outcome> => {
      const text = outcome === null ? '' : JSON.stringify(outcome)
      const newest = await client.eval(endScript, 1, key, attempt, text, lifeMs)
      if (outcome !== null && newest === 1) return outcome
      return { status: 'retry', reason: outcome === null ? 'no answer from the sink' : 'another attempt took over' }
    }

    /** Null if the outcome of the request, or of a cancellation, is unknown. */
    async function cancelAndPerform(message: Message, before: readonly string[], attempt: string) {
      const { key, payload } = message
      const cancelled = before.map((earlier) => sink.cancel!(key, earlier))
      if ((await Promise.allSettled(cancelled)).some(({ status }) => status === 'rejected')) return null
      try {
        return {
          status: 'done' as const,
          result: (await sink.perform({ key, payload, reference: attempt })) as JsonValue,
        }
      } catch (error) {
        // If a later attempt cancelled the request, the sink refuses it, too. This attempt then
        // decides nothing.
        return isSinkRefusal(error) ? { status: 'refused' as const, error: error.message } : null
      }
    }

    return {
      async handle(message) {
        const key = `attempts:${message.key}`
        const attempt = randomUUID()
        const payload = fingerprint(message.payload)
        const reply = (await client.eval(beginScript, 1, key, payload, attempt, leaseMs, lifeMs)) as string[]
        const [status, ...before] = reply
        if (status === 'reused') return { status: 'dead-letter', reason: 'key-reused' }
        if (status === 'held') return { status: 'retry', reason: 'another attempt has begun' }
        if (status === 'decided') return JSON.parse(before[0]!) as Outcome
        // Without a record, the record of an earlier attempt may have expired.
        if (before.length === 0 && Date.now() - message.producedAt > retentionMs) {
          await end(key, attempt, null)
          return { status: 'dead-letter', reason: 'in-doubt: too old' }
        }
        const renewal = setInterval(() => {
          client.eval(renewScript, 1, key, attempt, leaseMs, lifeMs).catch(() => {})
        }, leaseMs / 3)
        try {
          return await end(key, attempt, await cancelAndPerform(message, before, attempt))
        } finally {
          clearInterval(renewal)
        }
      },
      close: () => client.disconnect(),
    }
  },
})
