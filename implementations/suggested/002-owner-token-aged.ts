/**
 * Article 002, third pattern as in 002-owner-token.ts, with the batch job of its section on expiry:
 * for more than a day, older keys move by night from Redis into DynamoDB or a relational database.
 * Decided here, because the article prints no code: the store is DynamoDB, named first. At three
 * every night, by its own clock, each process scans for COMPLETED records and puts each into the
 * table, for 30 days. Redis keeps them for their day, which ends after the next night. After taking
 * a key, an attempt reads the table (consistent) before it performs; a found result is written back
 * by the release script, and returned. If the table does not answer, it raises. A skipped message
 * is redelivered.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import type { Redis } from 'ioredis'
import type { CreateContext } from '../../src/contract/api/implementation.ts'
import { type OlderRecords, ownerToken, scriptedLock } from '../articles/002-owner-token.ts'
import { everyNight } from '../parts/every-night.ts'

const keptSeconds = 30 * 24 * 60 * 60
const prefix = 'idempotency:v1:'

function agedRecords(client: Redis, { dynamodb }: CreateContext): OlderRecords {
  const plain = new DynamoDBClient(dynamodb!.options)
  const store = DynamoDBDocumentClient.from(plain)
  const TableName = dynamodb!.table

  async function moveAll(): Promise<void> {
    for await (const names of client.scanStream({ match: `${prefix}*` })) {
      for (const name of names as string[]) {
        const found = await client.get(name)
        const { status, result = null } = JSON.parse(found ?? '{}')
        if (status !== 'COMPLETED') continue
        const ttl = Math.floor(Date.now() / 1000) + keptSeconds
        const Item = { idempotency_key: name.slice(prefix.length), result: JSON.stringify(result), ttl }
        await store.send(new PutCommand({ TableName, Item }))
      }
    }
  }

  const stop = everyNight(moveAll)
  return {
    async find(key) {
      const { Item: item } = await store.send(
        new GetCommand({ TableName, Key: { idempotency_key: key }, ConsistentRead: true }),
      )
      return item === undefined ? null : { result: JSON.parse(item.result) }
    },
    close() {
      stop()
      plain.destroy()
    },
  }
}

export default ownerToken({
  id: '002-owner-token-aged',
  about:
    'The owner token, and results that age into DynamoDB by night, for 30 days (article 002, its section on expiry).',
  nothing: { status: 'retry', reason: 'nothing was returned' },
  lockOf: scriptedLock,
  stores: ['redis', 'dynamodb'],
  // The SDK looks for a configuration file, and finds none.
  allow: ['fs-read'],
  older: agedRecords,
})
