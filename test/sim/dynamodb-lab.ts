/** Layers with the AWS SDK in a simulated process. */
import type { DynamoDBClient as Client } from '@aws-sdk/client-dynamodb'
import type { CreateContext, Implementation } from '../../src/contract/api/implementation.ts'
import type { PlannedFault } from '../../src/contract/api/plan.ts'
import { done, nowMs, type Play, play } from './world-lab.ts'

// Imported late: the SDK takes `readFile` from Node during loading, and must get the simulated one.
const { DynamoDBClient, GetItemCommand, PutItemCommand } = await import('@aws-sdk/client-dynamodb')

export const itemKey = { idempotency_key: { S: 'order-1' } }
export const reserve = (TableName: string) =>
  new PutItemCommand({
    TableName,
    Item: itemKey,
    ConditionExpression: 'attribute_not_exists(idempotency_key)',
  })
export const read = (TableName: string, ConsistentRead: boolean) =>
  new GetItemCommand({ TableName, Key: itemKey, ConsistentRead })

type Handle = (client: Client, table: string, context: CreateContext) => Promise<unknown>

export function sdkLayer(handle: Handle): Pick<Implementation, 'create'> & Partial<Implementation> {
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

/** `done`, or the name of the error. */
export const nameOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: { name: string }) => error.name,
  )

/** A fault at the request that reserves the key. */
export const atReserve = (kind: string, at: 'command-unsent' | 'command-unexecuted' | 'command-executed') =>
  ({
    kind,
    when: { at, consumer: 0, nth: 1, of: { label: 'PutItem IdempotencyStore', key: 'order-1' } },
  }) as PlannedFault

/**
 * The outcome of a client that reserves the key, its time, and how many requests and answers were
 * lost.
 */
export async function reserved(options: Play) {
  let outcome: unknown
  let tookMs = 0
  const played = await play(
    sdkLayer(async (client, table) => {
      const from = nowMs()
      outcome = await nameOf(client.send(reserve(table)))
      tookMs = nowMs() - from
    }),
    { visibilityMs: 20_000, ...options },
  )
  return { outcome, tookMs, lost: [...played.of('reply-lost'), ...played.of('request-lost')].length }
}
