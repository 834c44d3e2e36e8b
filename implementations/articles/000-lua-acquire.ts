/**
 * Article 000 ("Architecting Idempotent Consumers in Event-Driven Systems with Redis"), third
 * pattern, its blocks acquire_lock.lua and lua_idempotency.py (IdempotencyHandler): one script
 * checks and writes the STARTED record, by comparing clients' times (`lock_expiry`).
 *
 * What the article claims: robust, atomic, fast; the pattern that it recommends for production.
 * Limits: STARTED for 5 minutes, in the record and as EX; COMPLETED for a day, by an unconditional
 * SET. The article wants the 5 minutes longer than any processing: `000-lua-acquire-lease` takes
 * the lease.
 * How it acknowledges: COMPLETED returns the stored result. A held record raises, and so does a
 * failed effect (which leaves the record), so the broker redelivers.
 * What differs: if EVALSHA fails for an unknown script, redis-py loads it and repeats; ioredis
 * sends EVAL. On a connection error redis-py 6 and 7 resend a command 3 times (earlier versions
 * never), ioredis up to 20 times. Timestamps are in ms and end in Z, and are compared as strings.
 *
 * Decided here: the answer's envelope (processed or skipped) is left out.
 */
import { Redis } from 'ioredis'
import { defineImplementation, type Implementation } from '../../src/contract/api/implementation.ts'

/** The article's limits: 5 minutes and a day. */
const lockSeconds = 5 * 60
const recordSeconds = 24 * 60 * 60

/** The article's file acquire_lock.lua, which its decorator loads too. */
export const acquireScript = {
  numberOfKeys: 1,
  lua: `-- acquire: KEYS[1] record; ARGV STARTED record, now (ISO 8601, UTC), seconds
local found = redis.call('GET', KEYS[1])
if found then
  local stored = cjson.decode(found)
  if stored.status == 'COMPLETED' then
    return {'completed', found}
  end
  if stored.status == 'STARTED' and ARGV[2] < stored.lock_expiry then
    return {'held', found}
  end
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', tonumber(ARGV[3]))
return {'acquired', ARGV[1]}
`,
}

/** An ioredis client that knows the script. */
export interface AcquiringRedis extends Redis {
  acquire(
    name: string,
    started: string,
    now: string,
    seconds: number,
  ): Promise<['completed' | 'held' | 'acquired', string]>
}

const at = (ms: number): string => new Date(ms).toISOString()

interface Variant {
  readonly id: string
  readonly about: string
  /** How long a STARTED record is held, in whole seconds; default: the article's 5 minutes. */
  readonly lockSecondsFor?: (leaseMs: number) => number
  readonly recoveryBoundMs: number
  /** Treats the record of a failed effect; default: leaves it. */
  readonly failed?: (client: Redis, name: string, startedAt: string) => Promise<unknown>
}

export function luaAcquire({ id, about, lockSecondsFor, recoveryBoundMs, failed }: Variant): Implementation {
  return defineImplementation({
    id,
    about,
    recoveryBoundMs,
    expect: 'broken',
    serial: true,
    sinks: ['plain', 'keyed'],
    lacks: ['dead-lettering'],
    create({ redis, leaseMs, sink }) {
      const client = new Redis({ ...redis.options, scripts: { acquire: acquireScript } }) as AcquiringRedis
      const seconds = lockSecondsFor?.(leaseMs) ?? lockSeconds
      return {
        async handle({ key, payload }) {
          const name = `idempotency:v1:${key}`
          const now = Date.now()
          const started = { status: 'STARTED', started_at: at(now), lock_expiry: at(now + seconds * 1000) }
          const [reply, json] = await client.acquire(name, JSON.stringify(started), at(now), seconds)
          const stored = JSON.parse(json) as { started_at: string; response_body: string }
          if (reply === 'completed') return { status: 'done', result: JSON.parse(stored.response_body) }
          if (reply === 'held') return { status: 'retry', reason: 'another consumer holds the record' }
          const receipt = await sink.perform({ key, payload }).catch(async (error) => {
            await failed?.(client, name, stored.started_at)
            throw error
          })
          const completed = {
            status: 'COMPLETED',
            started_at: stored.started_at,
            completed_at: at(Date.now()),
            response_body: JSON.stringify(receipt ?? null),
            response_code: 200,
          }
          await client.set(name, JSON.stringify(completed), 'EX', recordSeconds)
          return { status: 'done', result: receipt }
        },
        close: () => client.disconnect(),
      }
    },
  })
}

export default luaAcquire({
  id: '000-lua-acquire',
  about: "A script checks and takes the record by the client's clock, a plain SET completes it (article 000, third).",
  recoveryBoundMs: lockSeconds * 1000,
})
