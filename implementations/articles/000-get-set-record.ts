/**
 * Article 000 ("Architecting Idempotent Consumers in Event-Driven Systems with Redis"), second
 * pattern, stateful_idempotency.py: STARTED with an expiry, read by GET, written by a plain SET.
 *
 * What the article claims: a crash between lock and result is handled: the next consumer sees that
 * the lock has ended. It admits that two consumers can pass between GET and SET.
 * Limits: STARTED for 5 minutes, by `lock_expiry` (client's clock) and as EX; COMPLETED for a day.
 * The article wants the 5 minutes longer than any processing: see `000-get-set-record-lease`.
 * How it acknowledges: COMPLETED is acknowledged with the stored result. For a held record the
 * code raises; its comment allows to requeue (here: `retry`) or to skip
 * (`000-get-set-record-skip`). A failed effect leaves the record and raises, and is redelivered
 * until the lock ends.
 * What differs: on a connection error redis-py 6 and 7 resend a command 3 times (earlier versions
 * never), ioredis up to 20 times. Timestamps are in ms and end in Z (Python: µs, +00:00).
 *
 * Decided here: the answer's envelope (processed or skipped) is left out.
 */
import { Redis } from 'ioredis'
import { defineImplementation, type Implementation } from '../../src/contract/api/implementation.ts'
import type { Outcome } from '../../src/contract/api/message.ts'

/** The article's limits: 5 minutes and a day. */
const lockSeconds = 5 * 60
const recordSeconds = 24 * 60 * 60

type Stored =
  | { status: 'STARTED'; started_at: string; lock_expiry: string }
  | { status: 'COMPLETED'; started_at: string; completed_at: string; response_body: string; response_code: number }

interface Variant {
  readonly id: string
  readonly about: string
  /** How long a STARTED record is held, in whole seconds; default: the article's 5 minutes. */
  readonly lockSecondsFor?: (leaseMs: number) => number
  readonly recoveryBoundMs: number
  /** The outcome while another consumer holds the record. */
  readonly held: Outcome
}

const at = (ms: number): string => new Date(ms).toISOString()

export function getSetRecord({ id, about, lockSecondsFor, recoveryBoundMs, held }: Variant): Implementation {
  return defineImplementation({
    id,
    about,
    recoveryBoundMs,
    expect: 'broken',
    serial: true,
    sinks: ['plain', 'keyed'],
    lacks: ['dead-lettering'],
    create({ redis, leaseMs, sink }) {
      const client = new Redis(redis.options)
      const seconds = lockSecondsFor?.(leaseMs) ?? lockSeconds
      const write = (name: string, stored: Stored, ttlSeconds: number) =>
        client.set(name, JSON.stringify(stored), 'EX', ttlSeconds)
      return {
        async handle({ key, payload }) {
          const name = `idempotency:v1:${key}`
          const found = await client.get(name)
          if (found) {
            const stored = JSON.parse(found) as Stored
            if (stored.status === 'COMPLETED') return { status: 'done', result: JSON.parse(stored.response_body) }
            if (stored.status === 'STARTED' && Date.now() < Date.parse(stored.lock_expiry)) return held
          }
          const now = Date.now()
          const started_at = at(now)
          await write(name, { status: 'STARTED', started_at, lock_expiry: at(now + seconds * 1000) }, seconds)
          const receipt = await sink.perform({ key, payload })
          const completed = { started_at, completed_at: at(Date.now()), response_body: JSON.stringify(receipt ?? null) }
          await write(name, { status: 'COMPLETED', ...completed, response_code: 200 }, recordSeconds)
          return { status: 'done', result: receipt }
        },
        close: () => client.disconnect(),
      }
    },
  })
}

export default getSetRecord({
  id: '000-get-set-record',
  about:
    'GET a record; unless completed or held, SET it STARTED, perform, SET the result (article 000, second pattern).',
  recoveryBoundMs: lockSeconds * 1000,
  held: { status: 'retry', reason: 'another consumer holds the record' },
})
