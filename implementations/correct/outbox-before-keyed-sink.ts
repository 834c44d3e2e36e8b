/**
 * A transactional outbox: a message is a row before it is answered. Each process's relay has the
 * sink perform each row at least once; the sink deduplicates. Why it is correct:
 * docs/findings/correct-layers.md.
 * Decided here: `refused` is never returned, because another relay's request may still be in
 * flight. A refused request is not sent again, and its copies are answered `accepted`, as before.
 */
import type { PoolClient } from 'pg'
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import type { JsonValue } from '../../src/contract/api/json.ts'
import { type EffectRequest, isSinkRefusal, type Sink } from '../../src/contract/api/sink.ts'
import { deploys } from '../parts/deploys.ts'
import { inTransaction } from '../parts/in-transaction.ts'
import { beginRelay, openPool } from '../parts/open-pool.ts'
import { startRelay } from '../parts/relay.ts'
import { fingerprint } from './parts/bind-payload.ts'

/** `attempts`: failed rows come after untried ones. The payload is a text, to send it unchanged. */
const schema = `
  CREATE TABLE outbox (
    key text PRIMARY KEY,
    fingerprint text NOT NULL,
    payload text NOT NULL,
    state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'sent', 'refused')),
    attempts int NOT NULL DEFAULT 0,
    result jsonb
  );
  CREATE INDEX pending ON outbox (attempts, key) WHERE state = 'pending'`

const durably = "; SET LOCAL synchronous_commit = 'on'"

interface Row {
  readonly fingerprint: string
  readonly state: 'pending' | 'sent' | 'refused'
  readonly result: { readonly value: JsonValue } | null
}

/** The sink's answer, as a row keeps it. After any error, the effect may have happened. */
async function perform(sink: Sink, request: EffectRequest): Promise<{ state: Row['state']; value?: JsonValue }> {
  try {
    return { state: 'sent', value: (await sink.perform(request)) ?? null }
  } catch (error) {
    return { state: isSinkRefusal(error) ? 'refused' : 'pending' }
  }
}

async function relayOne(client: PoolClient, sink: Sink): Promise<boolean> {
  const { rows } = await client.query<{ key: string; payload: string }>(
    "SELECT key, payload FROM outbox WHERE state = 'pending' ORDER BY attempts, key LIMIT 1 FOR UPDATE SKIP LOCKED",
  )
  const [row] = rows
  if (row === undefined) return false
  const { state, value } = await perform(sink, { key: row.key, payload: JSON.parse(row.payload) })
  await client.query('UPDATE outbox SET state = $1, attempts = attempts + 1, result = $2 WHERE key = $3', [
    state,
    value === undefined ? null : JSON.stringify({ value }),
    row.key,
  ])
  // A failed row waits until the relay polls again.
  return state !== 'pending'
}

export default defineImplementation({
  id: 'outbox-before-keyed-sink',
  about: 'A transactional outbox with a relay that performs at least once: the sink deduplicates by key.',
  expect: 'holds',
  accepts: [
    { what: 'sink-forgets', because: 'the sink is assumed to remember a key while copies arrive' },
    { what: 'asynchronous-failover', because: 'a standby may lack the record' },
  ],
  recoveryBoundMs: 120_000,
  stores: ['postgres'],
  sinks: ['keyed'],
  leavesNoDoubtOn: ['keyed'],
  lacks: ['lease'],
  has: ['transactions'],
  deploy: deploys(schema),
  create({ postgres, sink }) {
    const pool = openPool(postgres!)
    const relay = startRelay(() => inTransaction(pool, (client) => relayOne(client, sink), beginRelay + durably))

    /** Inserts a row. Returns the row that was there before; undefined if this is the first. */
    async function record(client: PoolClient, key: string, payload: JsonValue): Promise<Row | undefined> {
      const inserted = await client.query(
        'INSERT INTO outbox (key, fingerprint, payload) VALUES ($1, $2, $3) ON CONFLICT (key) DO NOTHING',
        [key, fingerprint(payload), JSON.stringify(payload)],
      )
      if (inserted.rowCount === 1) return undefined
      const { rows } = await client.query<Row>('SELECT fingerprint, state, result FROM outbox WHERE key = $1', [key])
      return rows[0]
    }

    return {
      async handle({ key, payload }) {
        const found = await inTransaction(pool, (client) => record(client, key, payload), `BEGIN${durably}`)
        if (found === undefined) {
          relay.wake()
          return { status: 'accepted' }
        }
        if (found.fingerprint !== fingerprint(payload)) return { status: 'dead-letter', reason: 'key-reused' }
        return found.result === null ? { status: 'accepted' } : { status: 'done', result: found.result.value }
      },
      close() {
        relay.stop()
        return pool.end()
      },
    }
  },
})
