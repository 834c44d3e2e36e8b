/**
 * Article 004, third pattern as in 004-two-phase-lock.ts, in the store that it names second:
 * DynamoDB, with conditional writes instead of the lock and the time to live for garbage
 * collection.
 * What the article claims: a persistent alternative, with atomicity from ConditionExpression.
 * States, order and times are those of its Redis code; it prints no request.
 * How it acknowledges: like 004-two-phase-lock: errors are not acknowledged.
 * Decided here: STARTED is put if there is no item, or one expired by the consumer's clock
 * (DynamoDB deletes late); if the condition fails, a consistent read gets the item. The second
 * phase is a plain put, which is atomic by itself: like the Redis code, it does not check that
 * STARTED is its own.
 */
import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { InProgress } from '../articles/004-lock-and-record.ts'
import { answerOf, finalSeconds, perform, type Stored, startedSeconds } from '../articles/004-two-phase-lock.ts'

const seconds = (): number => Math.floor(Date.now() / 1000)

const free = {
  ConditionExpression: 'attribute_not_exists(idempotency_key) OR #ttl <= :now',
  ExpressionAttributeNames: { '#ttl': 'ttl' },
}

export default defineImplementation({
  id: '004-two-phase-dynamodb',
  about:
    'STARTED by a conditional put into DynamoDB, the result by a plain put, the effect between them (article 004, a store it names).',
  expect: 'broken',
  stores: ['dynamodb'],
  sinks: ['plain', 'keyed'],
  lacks: ['dead-lettering', 'offline-queue'],
  // The SDK looks for a configuration file, and finds none.
  allow: ['fs-read'],
  recoveryBoundMs: startedSeconds * 1000,
  create({ dynamodb, sink }) {
    const plain = new DynamoDBClient(dynamodb!.options)
    const client = DynamoDBDocumentClient.from(plain)
    const TableName = dynamodb!.table

    /** The record in the way; null if STARTED was put. @throws InProgress if it is gone again */
    async function start(key: string): Promise<Stored | null> {
      const now = seconds()
      const Item = { idempotency_key: key, record: { status: 'STARTED' }, ttl: now + startedSeconds }
      try {
        await client.send(new PutCommand({ TableName, Item, ...free, ExpressionAttributeValues: { ':now': now } }))
        return null
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error
      }
      const Key = { idempotency_key: key }
      const { Item: item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))
      if (item === undefined) throw new InProgress(`${key} is gone between put and read`)
      return item.record as Stored
    }

    return {
      async handle({ key, payload }) {
        try {
          const before = await start(key)
          if (before !== null) return { status: 'done', result: answerOf(key, before) }
          const stored = await perform(sink, { key, payload })
          const Item = { idempotency_key: key, record: stored, ttl: seconds() + finalSeconds }
          await client.send(new PutCommand({ TableName, Item }))
          return { status: 'done', result: answerOf(key, stored) }
        } catch (error) {
          return { status: 'retry', reason: String(error) }
        }
      },
      close: () => plain.destroy(),
    }
  },
})
