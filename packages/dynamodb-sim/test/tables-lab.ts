import { authorization } from '../fidelity/request-text.ts'
import { type CreateTableRequest, type Fault, Tables, type TablesHost } from '../src/index.ts'

export interface Answered {
  readonly status: number
  /** Name of the error without its namespace; undefined if the request succeeded. */
  readonly error: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  readonly body: any
}

/**
 * Simulated tables with a manual clock and given choices. There is one table, `tab`, with the
 * partition key `k`.
 */
export class TablesLab implements TablesHost {
  now = Date.UTC(2026, 0, 1)
  /** The next results of `chance`; 0 after the end of the list. */
  choices: number[] = []
  readonly asked: string[] = []
  readonly reported: string[] = []
  readonly expiredKeys: string[] = []
  /** The consistent answers of reads that missed a write. */
  readonly missedReads: unknown[] = []
  faults: (Fault | null)[] = []
  readonly tables: Tables

  constructor({ timeToLive, sortKey = false }: { timeToLive?: string; sortKey?: boolean } = {}) {
    this.tables = new Tables(this)
    this.tables.provision(definition('tab', sortKey), timeToLive)
  }

  nowMs(): number {
    return this.now
  }

  chance(what: string, n: number): number {
    this.asked.push(what)
    return Math.min(this.choices.shift() ?? 0, n - 1)
  }

  unsupported(what: string): void {
    this.reported.push(`unsupported: ${what}`)
  }

  unjudged(what: string): void {
    this.reported.push(`unjudged: ${what}`)
  }

  fault(): Fault | null {
    return this.faults.shift() ?? null
  }

  missed(consistent: string): void {
    this.missedReads.push(JSON.parse(consistent))
  }

  expired(table: string, key: string): void {
    this.expiredKeys.push(`${table} ${key}`)
  }

  send(operation: string, input: object): Answered {
    const headers = { authorization, 'x-amz-date': '20260101T000000Z' }
    const { status, body } = this.tables.answer({
      target: `DynamoDB_20120810.${operation}`,
      headers,
      body: JSON.stringify(input),
    })
    const read = JSON.parse(body)
    return { status, error: read.__type?.split('#')[1], body: read }
  }

  put(k: string, rest: object = {}, more: object = {}): Answered {
    return this.send('PutItem', { TableName: 'tab', Item: { k: { S: k }, ...rest }, ...more })
  }

  get(k: string, more: object = { ConsistentRead: true }): Answered {
    return this.send('GetItem', { TableName: 'tab', Key: { k: { S: k } }, ...more })
  }

  update(k: string, UpdateExpression: string, values: object = {}, more: object = {}): Answered {
    const given = Object.keys(values).length > 0 && { ExpressionAttributeValues: values }
    return this.send('UpdateItem', { TableName: 'tab', Key: { k: { S: k } }, UpdateExpression, ...given, ...more })
  }
}

function definition(TableName: string, sortKey = false): CreateTableRequest {
  return {
    TableName,
    AttributeDefinitions: [
      { AttributeName: 'k', AttributeType: 'S' },
      ...(sortKey ? ([{ AttributeName: 'r', AttributeType: 'N' }] as const) : []),
    ],
    KeySchema: [
      { AttributeName: 'k', KeyType: 'HASH' },
      ...(sortKey ? ([{ AttributeName: 'r', KeyType: 'RANGE' }] as const) : []),
    ],
    BillingMode: 'PAY_PER_REQUEST',
  }
}
