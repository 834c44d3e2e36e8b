import type { DynamoDBClient as Client } from '@aws-sdk/client-dynamodb'
import { describe, expect, it } from 'vitest'
import type { CreateContext, Implementation } from '../../../src/contract/implementation.ts'
import type { PlannedFault } from '../../../src/contract/plan.ts'
import { done, nowMs, type Play, type Played, play, sleep } from '../world-lab.ts'

// Only now: the SDK takes `readFile` from Node when it is loaded, and must find the simulated one.
const { DynamoDBClient, GetItemCommand, PutItemCommand, TransactWriteItemsCommand } = await import(
  '@aws-sdk/client-dynamodb'
)

const key = { idempotency_key: { S: 'order-1' } }
const reserve = (TableName: string) =>
  new PutItemCommand({
    TableName,
    Item: key,
    ConditionExpression: 'attribute_not_exists(idempotency_key)',
  })
const read = (TableName: string, ConsistentRead: boolean) => new GetItemCommand({ TableName, Key: key, ConsistentRead })

type Handle = (client: Client, table: string, context: CreateContext) => Promise<unknown>

function layer(handle: Handle): Pick<Implementation, 'create'> & Partial<Implementation> {
  return {
    stores: ['dynamodb'],
    create(context) {
      const { options, table } = context.dynamodb!
      const client = new DynamoDBClient(options)
      return {
        async handle() {
          await handle(client, table, context)
          return done
        },
        close: () => client.destroy(),
      }
    },
  }
}

/** But for the SDK's look for a configuration file, which adapters made by hand cannot be permitted. */
const notSimulated = ({ unsupported }: Played) => unsupported.filter((what) => !what.includes('/home/app/.aws/'))

const nameOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: { name: string }) => error.name,
  )

describe('a simulated process', () => {
  it('has the AWS SDK as it is', async () => {
    const seen: unknown[] = []
    const played = await play(
      layer(async (client, table) => {
        seen.push(await nameOf(client.send(reserve(table))), await nameOf(client.send(reserve(table))))
        seen.push((await client.send(read(table, true))).Item)
      }),
    )
    expect(seen).toEqual(['done', 'ConditionalCheckFailedException', key])
    expect(notSimulated(played)).toEqual([])
  })

  it('finds no DynamoDB where its layer has not asked for one', async () => {
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

  it('has no verdict that rests on what nobody judges', async () => {
    const played = await play(
      layer((client, TableName) =>
        client.send(new TransactWriteItemsCommand({ TransactItems: [{ Put: { TableName, Item: key } }] })),
      ),
    )
    expect(notSimulated(played)).toEqual(['TransactWriteItems of DynamoDB, which no judge has compared'])
  })

  it('loses what time to live deletes, late or not, and the history tells of it', async () => {
    const told = new Set<string>()
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const played = await play(
        layer(async (client, TableName) => {
          const ttl = { N: String(Math.floor(Date.now() / 1000) + 1) }
          await client.send(new PutItemCommand({ TableName, Item: { ...key, ttl } }))
          await sleep(3000)
          await client.send(read(TableName, true))
        }),
        { seed },
      )
      told.add(JSON.stringify(played.of('data-lost').map(({ cause, redisKeys }) => [cause, redisKeys])))
    }
    expect(told).toEqual(new Set(['[]', '[["expiry",["IdempotencyStore order-1"]]]']))
  })

  it('has names beyond ASCII whole in the history', async () => {
    const played = await play(
      layer((client, TableName) =>
        client.send(new PutItemCommand({ TableName, Item: { idempotency_key: { S: 'café 注文' } } })),
      ),
    )
    expect(played.of('command').map(({ command }) => command)).toEqual([expect.stringContaining('café 注文')])
  })

  it('may read what was there before, where it does not ask for more', async () => {
    const reads = async (consistent: boolean) => {
      const seen = new Set<boolean>()
      for (const seed of [1, 2, 3, 4, 5, 6])
        await play(
          layer(async (client, table) => {
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

describe('faults aim at what a request is', () => {
  const fault = (kind: string, at: 'command-unsent' | 'command-unexecuted' | 'command-executed') =>
    ({
      kind,
      when: { at, consumer: 0, nth: 1, of: { label: 'PutItem IdempotencyStore', key: 'order-1' } },
    }) as PlannedFault

  async function reserved(options: Play) {
    let outcome: unknown
    let tookMs = 0
    const played = await play(
      layer(async (client, table) => {
        const from = nowMs()
        outcome = await nameOf(client.send(reserve(table)))
        tookMs = nowMs() - from
      }),
      { visibilityMs: 20_000, ...options },
    )
    return { outcome, tookMs, lost: [...played.of('reply-lost'), ...played.of('request-lost')].length }
  }

  it('and find nothing where there is none', async () => {
    expect(await reserved({})).toMatchObject({ outcome: 'done', lost: 0 })
  })

  it.each([
    ['failed', 'done'],
    ['failed-after', 'ConditionalCheckFailedException'],
  ])('an InternalServerError is answered once (%s): the SDK tries again, and is told %s', async (error, told) => {
    const struck = { ...fault('dynamodb-error', 'command-unexecuted'), error }
    expect(await reserved({ faults: [struck] })).toMatchObject({ outcome: told, lost: 0 })
  })

  it('all requests are throttled for a while: the SDK gives up after three tries', async () => {
    const throttled = (healAfterMs: number) =>
      reserved({ faults: [{ ...fault('dynamodb-throttled', 'command-unexecuted'), healAfterMs }] })
    expect(await throttled(10_000)).toMatchObject({ outcome: 'ProvisionedThroughputExceededException' })
    expect(await throttled(1)).toMatchObject({ outcome: 'done' })
  })

  it('requests wait for a service that stands still', async () => {
    const slow = { ...fault('slow-dynamodb', 'command-unsent'), healAfterMs: 3000 }
    const { outcome, tookMs } = await reserved({ faults: [slow] })
    expect([outcome, tookMs >= 3000]).toEqual(['done', true])
  })

  it('an answer is lost: the SDK tries again by a simulated timer, and meets its own item', async () => {
    const { outcome, lost } = await reserved({ faults: [fault('lost-reply', 'command-executed')] })
    expect([outcome, lost]).toEqual(['ConditionalCheckFailedException', 1])
  })
})
