import { describe, expect, it } from 'vitest'
import { atReserve, itemKey, nameOf, read, reserve, reserved, sdkLayer } from '../dynamodb-lab.ts'
import { done, type Played, play, sleep } from '../world-lab.ts'

// Imported late: the SDK takes `readFile` from Node during loading, and must get the simulated one.
const { PutItemCommand, TransactWriteItemsCommand } = await import('@aws-sdk/client-dynamodb')

/**
 * Ignores the SDK’s check for a configuration file, because adapters of tests have no permission
 * for it.
 */
const notSimulated = ({ unsupported }: Played) => unsupported.filter((what) => !what.includes('/home/app/.aws/'))

describe('a simulated process', () => {
  it('runs the unmodified AWS SDK', async () => {
    const seen: unknown[] = []
    const played = await play(
      sdkLayer(async (client, table) => {
        seen.push(await nameOf(client.send(reserve(table))), await nameOf(client.send(reserve(table))))
        seen.push((await client.send(read(table, true))).Item)
      }),
    )
    expect(seen).toEqual(['done', 'ConditionalCheckFailedException', itemKey])
    expect(notSimulated(played)).toEqual([])
  })

  it('has no DynamoDB unless its layer requests it', async () => {
    const played = await play({
      create: ({ dynamodb }) => ({
        async handle() {
          expect(dynamodb).toBeUndefined()
          return done
        },
      }),
    })
    expect(played.of('answered')).toHaveLength(1)
  })

  it('has no verdict if a request has no reference to compare with', async () => {
    const played = await play(
      sdkLayer((client, TableName) =>
        client.send(new TransactWriteItemsCommand({ TransactItems: [{ Put: { TableName, Item: itemKey } }] })),
      ),
    )
    expect(notSimulated(played)).toEqual(['TransactWriteItems of DynamoDB (never compared with the real one)'])
  })

  it('loses expired items, late or not, and the history records it', async () => {
    const reported = new Set<string>()
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const played = await play(
        sdkLayer(async (client, TableName) => {
          const ttl = { N: String(Math.floor(Date.now() / 1000) + 1) }
          await client.send(new PutItemCommand({ TableName, Item: { ...itemKey, ttl } }))
          await sleep(3000)
          await client.send(read(TableName, true))
        }),
        { seed },
      )
      reported.add(JSON.stringify(played.of('data-lost').map(({ cause, redisKeys }) => [cause, redisKeys])))
    }
    expect(reported).toEqual(new Set(['[]', '[["expiry",["IdempotencyStore order-1"]]]']))
  })

  it('has non-ASCII names in full in the history', async () => {
    const played = await play(
      sdkLayer((client, TableName) =>
        client.send(new PutItemCommand({ TableName, Item: { idempotency_key: { S: 'café 注文' } } })),
      ),
    )
    expect(played.of('command').map(({ command }) => command)).toEqual([expect.stringContaining('café 注文')])
  })

  it('may read an older state unless it requests consistency', async () => {
    const reads = async (consistent: boolean) => {
      const seen = new Set<boolean>()
      for (const seed of [1, 2, 3, 4, 5, 6])
        await play(
          sdkLayer(async (client, table) => {
            await client.send(reserve(table))
            seen.add((await client.send(read(table, consistent))).Item !== undefined)
          }),
          { seed },
        )
      return seen
    }
    expect(await reads(true)).toEqual(new Set([true]))
    expect(await reads(false)).toEqual(new Set([true, false]))
  })
})

describe('a fault aimed at a request', () => {
  it('has no effect if there is none', async () => {
    expect(await reserved({})).toMatchObject({ outcome: 'done', lost: 0 })
  })

  it('loses an answer: the SDK retries by a simulated timer, and meets its own item', async () => {
    const { outcome, lost } = await reserved({ faults: [atReserve('lost-reply', 'command-executed')] })
    expect([outcome, lost]).toEqual(['ConditionalCheckFailedException', 1])
  })
})
