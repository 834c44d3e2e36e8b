/**
 * Article 000 ("Architecting Idempotent Consumers in Event-Driven Systems with Redis"), fourth
 * pattern, idempotent_decorator.py: the third pattern as a decorator, with its acquire_lock.lua.
 *
 * What the article claims: complete, reliable, production-grade; business logic without Redis.
 * Limits: STARTED for 5 minutes, in the record and as EX; COMPLETED for a day, by an unconditional
 * SET. The article wants the 5 minutes longer than any processing: `000-decorator-lease` takes the
 * lease.
 * How it acknowledges: a duplicate call returns the stored result. A held record raises, and so
 * does a failed effect, which leaves the record until its lock ends. No consumer is shown; as in
 * the earlier patterns, an exception is taken to mean "not acknowledged".
 * What differs: EVALSHA falls back to EVAL, not to SCRIPT LOAD. On a connection error redis-py 6
 * and 7 resend a command 3 times (earlier versions never), ioredis up to 20 times. Timestamps are
 * in ms and end in Z. The block lacks `import time`, so its own example fails.
 */
import { Redis } from 'ioredis'
import { defineImplementation, type Implementation } from '../../src/contract/api/implementation.ts'
import type { EffectResult } from '../../src/contract/api/sink.ts'
import { type AcquiringRedis, acquireScript } from './000-lua-acquire.ts'

/** The article's limits: 5 minutes and a day. */
const lockSeconds = 5 * 60
const recordSeconds = 24 * 60 * 60

/** The article raises an exception with this meaning. */
class RecordHeld extends Error {
  override readonly name = 'RecordHeld'
}

const at = (ms: number): string => new Date(ms).toISOString()

/** Calls `work`, or returns the key's result. @throws RecordHeld, and the errors of `work` */
async function idempotent<T extends EffectResult>(
  client: AcquiringRedis,
  key: string,
  seconds: number,
  work: () => Promise<T>,
): Promise<T> {
  const name = `idempotency:v1:${key}`
  const now = Date.now()
  const started = { status: 'STARTED', started_at: at(now), lock_expiry: at(now + seconds * 1000) }
  const [reply, json] = await client.acquire(name, JSON.stringify(started), at(now), seconds)
  const { started_at, response_body } = JSON.parse(json) as { started_at: string; response_body: string }
  if (reply === 'completed') return JSON.parse(response_body)
  if (reply === 'held') throw new RecordHeld(`another consumer holds ${key}`)
  const result = await work()
  const completed = { started_at, completed_at: at(Date.now()), response_body: JSON.stringify(result ?? null) }
  const record = { status: 'COMPLETED', ...completed, response_code: 200 }
  await client.set(name, JSON.stringify(record), 'EX', recordSeconds)
  return result
}

interface Variant {
  readonly id: string
  readonly about: string
  /** How long a STARTED record is held, in whole seconds; default: the article's 5 minutes. */
  readonly lockSecondsFor?: (leaseMs: number) => number
  readonly recoveryBoundMs: number
}

export function decorator({ id, about, lockSecondsFor, recoveryBoundMs }: Variant): Implementation {
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
        handle: async ({ key, payload }) => ({
          status: 'done',
          result: await idempotent(client, key, seconds, () => sink.perform({ key, payload })),
        }),
        close: () => client.disconnect(),
      }
    },
  })
}

export default decorator({
  id: '000-decorator',
  about:
    'A wrapper around a function: scripted acquire, then the effect, then a plain SET (article 000, fourth pattern).',
  recoveryBoundMs: lockSeconds * 1000,
})
