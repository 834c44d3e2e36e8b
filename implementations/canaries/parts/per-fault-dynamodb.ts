import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import type { CreateContext, Implementation } from '../../../src/contract/api/implementation.ts'
import { lookOften } from './look.ts'
import { type Says, suspicious } from './per-fault.ts'

/** A separate request, which the SDK sends once. */
interface Look {
  readonly sentMs: number
  readonly endedMs: number
  /** The name of the service's or the socket's error; null if there is an answer. */
  readonly error: string | null
}

/**
 * `suspicious` for DynamoDB faults: the reference, with its records in Redis, also probes DynamoDB.
 */
export function suspiciousOfDynamodb(
  says: Omit<Says, 'scenarios'>,
  isSeen: (looks: readonly Look[]) => boolean,
): Implementation {
  const canary = suspicious({ ...says, scenarios: ['dynamodb-errors'] }, async ({ context }) =>
    isSeen(await looks(context)),
  )
  // The SDK looks for a configuration file, and finds none.
  return { ...canary, stores: ['redis', 'dynamodb'], allow: ['fs-read'] }
}

async function looks({ dynamodb }: CreateContext): Promise<Look[]> {
  const client = new DynamoDBClient({ ...dynamodb!.options, maxAttempts: 1 })
  const request = { TableName: dynamodb!.table, Key: { idempotency_key: { S: 'canary' } } }
  const seen = await lookOften(20, async () => {
    const sentMs = performance.now()
    const error = await client.send(new GetItemCommand(request)).then(
      () => null,
      ({ name }: Error) => name,
    )
    return { sentMs, endedMs: performance.now(), error }
  })
  client.destroy()
  return seen
}
