/**
 * Article 003 ("Resilient Idempotency Layers for Asynchronous Messaging Systems"), its third
 * strategy, idempotent_dynamodb: an item IN_PROGRESS by a conditional put, for 5 seconds; a
 * consistent read if that fails; COMPLETED by a plain put, for a day; deleted when the effect
 * fails.
 * What the article claims: the conditional put is atomic; the read must be consistent, or it could
 * miss the new item. It admits that two consumers may both see an expired lock and continue.
 * Limits: the lock for 5 seconds, the result for a day, by the consumer's clock at the beginning.
 * How it acknowledges: a completed key returns the stored answer; a key in progress, or gone
 * between put and read, raises and is redelivered; an expired lock is ignored; an error of the
 * effect or of storing its result deletes the item, even another consumer's, and raises.
 * What differs: boto3 (legacy mode) sends a request up to 10 times, the JavaScript SDK up to 3
 * times.
 * Decided here: the article's answer is a code and a body in JSON: 200, and the receipt.
 */
import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { defineImplementation, type Implementation } from '../../src/contract/api/implementation.ts'
import type { Outcome } from '../../src/contract/api/message.ts'

/** The article's limits: 5 seconds and a day. */
const lockSeconds = 5
const resultSeconds = 24 * 60 * 60

interface Variant {
  readonly id: string
  readonly about: string
  /** The read that follows a failed put. */
  readonly consistent: boolean
}

export function conditionalPut({ id, about, consistent }: Variant): Implementation {
  return defineImplementation({
    id,
    about,
    expect: 'broken',
    serial: true,
    stores: ['dynamodb'],
    sinks: ['plain', 'keyed'],
    lacks: ['dead-lettering', 'offline-queue'],
    // The SDK looks for a configuration file, and finds none.
    allow: ['fs-read'],
    recoveryBoundMs: lockSeconds * 1000,
    create({ dynamodb, sink }) {
      const plain = new DynamoDBClient(dynamodb!.options)
      const client = DynamoDBDocumentClient.from(plain)
      const TableName = dynamodb!.table

      /** The outcome for an existing key; null if its lock is expired. */
      async function found(key: string, now: number): Promise<Outcome | null> {
        const { Item: item } = await client.send(
          new GetCommand({ TableName, Key: { idempotency_key: key }, ConsistentRead: consistent }),
        )
        if (item === undefined) return { status: 'retry', reason: 'the item is gone between put and read' }
        if (item.status === 'COMPLETED') return { status: 'done', result: JSON.parse(item.response_body) }
        if ((item.ttl ?? 0) < now) return null
        return { status: 'retry', reason: 'the key is in progress' }
      }

      return {
        async handle({ key, payload }) {
          const now = Math.floor(Date.now() / 1000)
          try {
            await client.send(
              new PutCommand({
                TableName,
                Item: { idempotency_key: key, status: 'IN_PROGRESS', ttl: now + lockSeconds },
                ConditionExpression: 'attribute_not_exists(idempotency_key)',
              }),
            )
          } catch (error) {
            if (!(error instanceof ConditionalCheckFailedException)) throw error
            const outcome = await found(key, now)
            if (outcome !== null) return outcome
          }
          try {
            const receipt = await sink.perform({ key, payload })
            await client.send(
              new PutCommand({
                TableName,
                Item: {
                  idempotency_key: key,
                  status: 'COMPLETED',
                  response_code: 200,
                  response_body: JSON.stringify(receipt ?? null),
                  ttl: now + resultSeconds,
                },
              }),
            )
            return { status: 'done', result: receipt ?? null }
          } catch (error) {
            await client.send(new DeleteCommand({ TableName, Key: { idempotency_key: key } }))
            throw error
          }
        },
        close: () => plain.destroy(),
      }
    },
  })
}

export default conditionalPut({
  id: '003-dynamodb',
  about:
    'IN_PROGRESS by a conditional put, a consistent read if that fails, the result by a plain put, an expired lock ignored (article 003, DynamoDB strategy).',
  consistent: true,
})
