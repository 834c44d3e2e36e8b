/**
 * Article 003 ("Resilient Idempotency Layers for Asynchronous Messaging Systems"), the outbox that
 * it advises for its third strategy and does not print: business result and the key's future status
 * are one row of the primary database; a separate process reads such rows and updates DynamoDB.
 * What the article claims: work and status become atomic, at the price of latency and complexity.
 * Limits: the result for a day in DynamoDB, by the consumer's clock (`003-dynamodb`). Rows stay.
 * How it acknowledges: a completed key returns the stored answer; errors raise and are redelivered.
 * What differs: no code to compare with. The primary database is PostgreSQL (the article: RDS).
 * Instead of IN_PROGRESS for 5 seconds, the row's primary key makes a second attempt wait for the
 * first.
 * Decided here: DynamoDB is asked first (consistent), then, if it does not know, the database. The
 * relay polls, one of the article's two ways: in the consumer's process, after each committed
 * transaction and every 5 s. It takes a row FOR UPDATE SKIP LOCKED, and marks it in that
 * transaction, which the server ends after a minute of idling. The article's answer is a code and a
 * body: 200, and the receipt.
 *
 * On a `transactional` sink the business logic is rows of that transaction, as in the text. On
 * other sinks it is a request, which a transaction cannot contain: the row has no result yet, the
 * message is `accepted`, and the relay performs it at least once, before it notifies DynamoDB.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import type { PoolClient } from 'pg'
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import type { JsonValue } from '../../src/contract/api/json.ts'
import type { Message, Outcome } from '../../src/contract/api/message.ts'
import { deploys } from '../parts/deploys.ts'
import { inTransaction } from '../parts/in-transaction.ts'
import { beginRelay, openPool } from '../parts/open-pool.ts'
import { startRelay } from '../parts/relay.ts'

const resultSeconds = 24 * 60 * 60

/** A row without a result asks the relay for it. */
const schema = `
  CREATE TABLE outbox (
    idempotency_key text PRIMARY KEY,
    request text NOT NULL,
    status text NOT NULL DEFAULT 'COMPLETED',
    response_code int,
    response_body text,
    relayed boolean NOT NULL DEFAULT false
  );
  CREATE INDEX unrelayed ON outbox (idempotency_key) WHERE NOT relayed`

interface Row {
  readonly idempotency_key: string
  readonly request: string
  readonly response_body: string | null
}

const answerOf = (body: string): Outcome => ({ status: 'done', result: JSON.parse(body) as JsonValue })

export default defineImplementation({
  id: '003-outbox',
  about:
    'Result and status as one row in the transaction of the work, an outbox whose relay updates DynamoDB (article 003, the remedy of its third strategy).',
  expect: 'broken',
  stores: ['postgres', 'dynamodb'],
  sinks: ['plain', 'keyed', 'transactional'],
  lacks: ['lease', 'dead-lettering', 'offline-queue'],
  has: ['transactions'],
  // The SDK looks for a configuration file, and finds none.
  allow: ['fs-read'],
  recoveryBoundMs: 120_000,
  deploy: deploys(schema),
  create({ postgres, dynamodb, sink }) {
    const plain = new DynamoDBClient(dynamodb!.options)
    const store = DynamoDBDocumentClient.from(plain)
    const TableName = dynamodb!.table
    const pool = openPool(postgres!)

    async function relayOne(client: PoolClient): Promise<boolean> {
      const { rows } = await client.query<Row>(
        'SELECT * FROM outbox WHERE NOT relayed ORDER BY idempotency_key LIMIT 1 FOR UPDATE SKIP LOCKED',
      )
      const [row] = rows
      if (row === undefined) return false
      const { idempotency_key: key, request } = row
      const perform = async () => JSON.stringify((await sink.perform({ key, payload: JSON.parse(request) })) ?? null)
      const body = row.response_body ?? (await perform())
      const ttl = Math.floor(Date.now() / 1000) + resultSeconds
      const completed = { status: 'COMPLETED', response_code: 200, response_body: body, ttl }
      await store.send(new PutCommand({ TableName, Item: { idempotency_key: key, ...completed } }))
      await client.query(
        'UPDATE outbox SET relayed = true, response_code = 200, response_body = $1 WHERE idempotency_key = $2',
        [body, key],
      )
      return true
    }

    const relay = startRelay(() => inTransaction(pool, relayOne, beginRelay))

    async function record(client: PoolClient, { key, payload }: Message): Promise<Outcome> {
      const { rowCount: inserted } = await client.query(
        'INSERT INTO outbox (idempotency_key, request) VALUES ($1, $2) ON CONFLICT (idempotency_key) DO NOTHING',
        [key, JSON.stringify(payload)],
      )
      if (inserted === 0) {
        const { rows } = await client.query<Row>('SELECT * FROM outbox WHERE idempotency_key = $1', [key])
        const body = rows[0]?.response_body ?? null
        return body === null ? { status: 'accepted' } : answerOf(body)
      }
      if (sink.statement === undefined) return { status: 'accepted' }
      const { text, values, result } = await sink.statement({ key, payload })
      await client.query(text, values)
      const body = JSON.stringify(result ?? null)
      await client.query('UPDATE outbox SET response_code = 200, response_body = $1 WHERE idempotency_key = $2', [
        body,
        key,
      ])
      return answerOf(body)
    }

    return {
      async handle(message) {
        const { Item: item } = await store.send(
          new GetCommand({ TableName, Key: { idempotency_key: message.key }, ConsistentRead: true }),
        )
        if (item?.status === 'COMPLETED') return answerOf(item.response_body)
        const outcome = await inTransaction(pool, (client) => record(client, message))
        relay.wake()
        return outcome
      },
      close() {
        relay.stop()
        plain.destroy()
        return pool.end()
      },
    }
  },
})
