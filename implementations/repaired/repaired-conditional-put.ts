/**
 * 003-dynamodb, repaired, only for a sink that gets the key and remembers it.
 *
 * The sink prevents a second effect; the item IN_PROGRESS only saves requests. So the item may end
 * early, by any clock, and an attempt takes it over by a condition instead of ignoring it. Each
 * item has the payload's hash. Only the owner writes the result, and errors delete nothing. If the
 * sink may have forgotten the key, the message is dead-lettered, unless its item has the result.
 * The age of a message is checked once the attempt has the item; the request is assumed to arrive
 * within a second.
 */
import { randomUUID } from 'node:crypto'
import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import type { JsonValue } from '../../src/contract/api/json.ts'
import type { Message, Outcome } from '../../src/contract/api/message.ts'
import { isSinkRefusal } from '../../src/contract/api/sink.ts'
import { fingerprint } from '../correct/parts/bind-payload.ts'
import { skewMs } from './parts/scripts.ts'

const isMet = (error: unknown): false => {
  if (error instanceof ConditionalCheckFailedException) return false
  throw error
}

export default defineImplementation({
  id: 'repaired-conditional-put',
  about: 'IN_PROGRESS by a conditional put only saves requests: the sink gets the key, and answers as the first time.',
  expect: 'holds',
  recoveryBoundMs: 60_000,
  stores: ['dynamodb'],
  sinks: ['keyed'],
  leavesNoDoubtOn: ['keyed'],
  lacks: ['offline-queue'],
  // The SDK looks for a configuration file, and finds none.
  allow: ['fs-read'],
  create({ dynamodb, leaseMs, retentionMs, sink }) {
    const plain = new DynamoDBClient(dynamodb!.options)
    const client = DynamoDBDocumentClient.from(plain)
    const TableName = dynamodb!.table
    // Seconds, as in time to live. A copy at the end of the retention must still find the item.
    const ttl = () => Math.ceil((Date.now() + 2 * retentionMs) / 1000)

    const read = async (key: string) =>
      (await client.send(new GetCommand({ TableName, Key: { idempotency_key: key }, ConsistentRead: true }))).Item

    const take = (key: string, owner: string, payload: string): Promise<boolean> =>
      client
        .send(
          new PutCommand({
            TableName,
            Item: {
              idempotency_key: key,
              status: 'IN_PROGRESS',
              owner,
              payload,
              until_ms: Date.now() + leaseMs,
              ttl: ttl(),
            },
            // Takes its own item, resent by the SDK, or one with that payload and an expired lock.
            ConditionExpression:
              'attribute_not_exists(idempotency_key) OR #o = :owner OR (#s = :progress AND payload = :payload AND until_ms < :now)',
            ExpressionAttributeNames: { '#o': 'owner', '#s': 'status' },
            ExpressionAttributeValues: {
              ':owner': owner,
              ':progress': 'IN_PROGRESS',
              ':payload': payload,
              ':now': Date.now(),
            },
          }),
        )
        .then(() => true, isMet)

    const complete = (key: string, owner: string, result: string): Promise<boolean> =>
      client
        .send(
          new UpdateCommand({
            TableName,
            Key: { idempotency_key: key },
            UpdateExpression: 'SET #s = :completed, response_body = :result, #t = :ttl',
            ConditionExpression: '#o = :owner',
            ExpressionAttributeNames: { '#o': 'owner', '#s': 'status', '#t': 'ttl' },
            ExpressionAttributeValues: { ':completed': 'COMPLETED', ':result': result, ':owner': owner, ':ttl': ttl() },
          }),
        )
        .then(() => true, isMet)

    /** The outcome for a key that could not be taken. */
    async function inTheWay({ key }: Message, payload: string): Promise<Outcome> {
      const item = await read(key)
      if (item !== undefined && item.payload !== payload) return { status: 'dead-letter', reason: 'key-reused' }
      if (item?.status === 'COMPLETED') return { status: 'done', result: JSON.parse(item.response_body) }
      return { status: 'retry', reason: 'the key is in progress' }
    }

    return {
      async handle(message) {
        const { key, producedAt } = message
        const payload = fingerprint(message.payload)
        const owner = randomUUID()
        if (!(await take(key, owner, payload))) return inTheWay(message, payload)
        // An earlier attempt may have sent its request, even if its item is gone.
        const ageMs = Date.now() - producedAt
        if (ageMs >= retentionMs || ageMs < -skewMs) return { status: 'dead-letter', reason: 'unknown-age' }
        let receipt: JsonValue
        try {
          receipt = (await sink.perform({ key, payload: message.payload })) ?? null
        } catch (error) {
          // The sink remembers the refusal, too: an attempt that takes over later is refused as
          // well.
          if (isSinkRefusal(error)) return { status: 'refused', error: error.message }
          throw error
        }
        // An attempt that has taken over since gets the same result from the sink, and records it.
        await complete(key, owner, JSON.stringify(receipt ?? null))
        return { status: 'done', result: receipt }
      },
      close: () => plain.destroy(),
    }
  },
})
