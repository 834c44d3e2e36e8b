/** DynamoDB: the end of an attempt is in milliseconds, and is compared with seconds. */
import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { Implementation } from '../../../src/contract/api/implementation.ts'

function layer(id: string, compared: (nowMs: number) => number): Implementation {
  return {
    ...{ id, recoveryBoundMs: 60_000, stores: ['dynamodb'], sinks: ['keyed'], leavesNoDoubtOn: ['keyed'] },
    allow: ['fs-read'],
    create({ dynamodb, leaseMs, retentionMs, sink }) {
      const client = new DynamoDBClient(dynamodb!.options)
      const items = DynamoDBDocumentClient.from(client)
      return {
        async handle({ key, payload, producedAt }) {
          const now = Date.now()
          if (now - producedAt > retentionMs) return { status: 'dead-letter', reason: 'in-doubt: too old' }
          const item = { TableName: dynamodb!.table, Key: { idempotency_key: key } }
          const of = JSON.stringify(payload)
          try {
            const begin = {
              UpdateExpression: 'SET phase = :begun, endsAt = :endsAt, asked = :asked, #ttl = :goneAt',
              ConditionExpression:
                'attribute_not_exists(idempotency_key) OR (phase = :begun AND endsAt < :now AND asked = :asked)',
              ExpressionAttributeNames: { '#ttl': 'ttl' },
              ExpressionAttributeValues: {
                ...{ ':begun': 'BEGUN', ':endsAt': now + leaseMs, ':now': compared(now), ':asked': of },
                ':goneAt': Math.ceil((now + 2 * retentionMs) / 1000),
              },
            }
            await items.send(new UpdateCommand({ ...item, ...begin }))
          } catch (error) {
            if (!(error instanceof ConditionalCheckFailedException)) throw error
            const { Item: found } = await items.send(new GetCommand({ ...item, ConsistentRead: true }))
            if (found !== undefined && found.asked !== of) return { status: 'dead-letter', reason: 'key-reused' }
            if (found?.phase === 'DONE') return { status: 'done', result: JSON.parse(found.outcome) }
            return { status: 'retry', reason: 'begun' }
          }
          const result = (await sink.perform({ key, payload })) ?? null
          const finish = {
            UpdateExpression: 'SET phase = :done, outcome = :outcome',
            ExpressionAttributeValues: { ':done': 'DONE', ':outcome': JSON.stringify(result) },
          }
          await items.send(new UpdateCommand({ ...item, ...finish }))
          return { status: 'done', result }
        },
        close: () => client.destroy(),
      }
    },
  }
}

export const bug = layer('milliseconds-as-seconds', (nowMs) => Math.floor(nowMs / 1000))
export const fix = layer('milliseconds-as-milliseconds', (nowMs) => nowMs)
