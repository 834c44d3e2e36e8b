/**
 * Article 001 ("Idempotency Layers in Event-Driven Systems with Redis & Lua"), the remedy that its
 * first edge case advises and does not print, a transactional outbox: the business transaction
 * writes COMPLETED to the database, a relay copies it to Redis; the database is the truth.
 *
 * What the article claims: with it, a COMPLETED that Redis never got no longer repeats the work.
 * Limits: the article's key and its day for COMPLETED in Redis (`001-lua-server-time`). Rows stay.
 * How it acknowledges: ACK after the effect and for a duplicate; NACK for errors (as printed).
 * What differs: no code to compare with. The database is PostgreSQL, as in the edge case.
 *
 * Decided here: Redis is asked first, then the database, if Redis has no answer. A message is taken
 * by its row's primary key, so that a second one waits for the first, and PROCESSING is not needed.
 * Each process has a relay (the article: a separate process). It polls after each committed
 * transaction, and every 5 seconds. It takes a row FOR UPDATE SKIP LOCKED, and marks it in that
 * transaction, which the server ends after a minute of idling.
 *
 * On a `transactional` sink the business logic is rows of that transaction, as in the text. On
 * others it is a request, which a transaction cannot contain: the row requests it, the message is
 * `accepted`, and the relay performs it at least once, then notifies Redis. Results are not kept.
 */
import { Redis } from 'ioredis'
import type { PoolClient } from 'pg'
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import type { JsonValue } from '../../src/contract/api/json.ts'
import type { Message, Outcome } from '../../src/contract/api/message.ts'
import { deploys } from '../parts/deploys.ts'
import { inTransaction } from '../parts/in-transaction.ts'
import { beginRelay, openPool } from '../parts/open-pool.ts'
import { startRelay } from '../parts/relay.ts'

const recordSeconds = 86_400

const schema = `
  CREATE TABLE messages (key text PRIMARY KEY, status text NOT NULL, completed_at timestamptz NOT NULL DEFAULT now());
  CREATE TABLE outbox (id bigserial PRIMARY KEY, key text NOT NULL, request text, relayed boolean NOT NULL DEFAULT false);
  CREATE INDEX unrelayed ON outbox (id) WHERE NOT relayed`

const nameOf = (key: string): string => `idempotency:v2:producer:${key}`

export default defineImplementation({
  id: '001-outbox',
  about:
    'COMPLETED and the work in one transaction of PostgreSQL, an outbox whose relay updates Redis, Redis as a cache (article 001, the remedy of its first edge case).',
  expect: 'broken',
  stores: ['redis', 'postgres'],
  sinks: ['plain', 'keyed', 'transactional'],
  lacks: ['lease', 'stored-result', 'dead-lettering'],
  has: ['transactions'],
  recoveryBoundMs: 120_000,
  deploy: deploys(schema),
  create({ redis, postgres, sink }) {
    const cache = new Redis({ ...redis.options, commandTimeout: 10_000 })
    cache.on('error', () => {})
    const pool = openPool(postgres!)

    async function relayOne(client: PoolClient): Promise<boolean> {
      const { rows } = await client.query<{ id: string; key: string; request: string | null }>(
        'SELECT id, key, request FROM outbox WHERE NOT relayed ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED',
      )
      const [row] = rows
      if (row === undefined) return false
      if (row.request !== null) await sink.perform({ key: row.key, payload: JSON.parse(row.request) })
      await cache.set(
        nameOf(row.key),
        JSON.stringify({ status: 'COMPLETED', completedAt: Date.now() }),
        'EX',
        recordSeconds,
      )
      await client.query('UPDATE outbox SET relayed = true WHERE id = $1', [row.id])
      return true
    }

    const relay = startRelay(() => inTransaction(pool, relayOne, beginRelay))

    const isCached = async (key: string): Promise<boolean> => (await cache.get(nameOf(key)).catch(() => null)) !== null

    async function record(client: PoolClient, { key, payload }: Message): Promise<Outcome> {
      const { rowCount: inserted } = await client.query(
        "INSERT INTO messages (key, status) VALUES ($1, 'COMPLETED') ON CONFLICT (key) DO NOTHING",
        [key],
      )
      const { statement } = sink
      if (inserted === 0) return statement === undefined ? { status: 'accepted' } : { status: 'done', result: null }
      let request: string | null = JSON.stringify(payload)
      let outcome: Outcome = { status: 'accepted' }
      if (statement !== undefined) {
        const { text, values, result } = await statement({ key, payload })
        await client.query(text, values)
        request = null
        outcome = { status: 'done', result: (result ?? null) as JsonValue }
      }
      await client.query('INSERT INTO outbox (key, request) VALUES ($1, $2)', [key, request])
      return outcome
    }

    return {
      async handle(message) {
        if (await isCached(message.key)) return { status: 'done', result: null }
        try {
          const outcome = await inTransaction(pool, (client) => record(client, message))
          relay.wake()
          return outcome
        } catch (error) {
          return { status: 'retry', reason: String(error) }
        }
      },
      close() {
        relay.stop()
        cache.disconnect()
        return pool.end()
      },
    }
  },
})
