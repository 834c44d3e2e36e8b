import { createHash } from 'node:crypto'
import { validation } from '../errors.ts'
import type { TablesHost } from '../host.ts'
import { changeMs } from '../store/catalogue.ts'
import { type KeyAttribute, Table } from '../store/table.ts'
import type { Context } from './context.ts'
import type { Checked } from './single-writes.ts'
import { description } from './table-description.ts'

export interface CreateTableRequest {
  readonly TableName: string
  readonly AttributeDefinitions: readonly { readonly AttributeName: string; readonly AttributeType: 'S' | 'N' | 'B' }[]
  readonly KeySchema: readonly { readonly AttributeName: string; readonly KeyType: 'HASH' | 'RANGE' }[]
  readonly BillingMode?: 'PROVISIONED' | 'PAY_PER_REQUEST'
  readonly ProvisionedThroughput?: { readonly ReadCapacityUnits: number; readonly WriteCapacityUnits: number }
}

const invalid = 'One or more parameter values were invalid: '

/**
 * Maximum time from expiry to deletion: "typically within two days of expiration" (API reference,
 * UpdateTimeToLive).
 */
const latestDeletionSeconds = 48 * 3600

/** `readyAfterMs` is the time until the table is active. */
export function createTable(request: CreateTableRequest, readyAfterMs = changeMs): Checked {
  checkThroughput(request)
  checkKeySchema(request)
  const [partitionKey, sortKey = null] = request.KeySchema.map(({ AttributeName }): KeyAttribute => {
    const type = request.AttributeDefinitions.find((one) => one.AttributeName === AttributeName)!.AttributeType
    return { name: AttributeName, type }
  })
  return ({ host, catalogue }) => {
    const name = request.TableName
    const createdMs = host.nowMs()
    const table = new Table(
      {
        name,
        partitionKey: partitionKey!,
        sortKey,
        billing: request.BillingMode ?? 'PROVISIONED',
        capacity: {
          read: request.ProvisionedThroughput?.ReadCapacityUnits ?? 0,
          write: request.ProvisionedThroughput?.WriteCapacityUnits ?? 0,
        },
        id: tableId(name, createdMs),
        createdMs,
        activeFromMs: createdMs + readyAfterMs,
      },
      () => deletionSeconds(host, name) * 1000,
    )
    catalogue.add(table)
    return { TableDescription: description(catalogue, table) }
  }
}

/**
 * Draws the seconds from an item's expiry to its deletion: 0, up to 60, or up to 48 hours. If all
 * delays were drawn from the whole 48 hours, almost no deletion would fall within a run. In each
 * choice, the value 0 means the latest deletion.
 */
function deletionSeconds(host: TablesHost, name: string): number {
  const kind = host.chance(`whether an expired item of ${name} is deleted after hours, after seconds or at once`, 3)
  if (kind === 2) return 0
  const latest = kind === 0 ? latestDeletionSeconds : 60
  return latest - host.chance(`seconds that an expired item of ${name} is deleted early`, latest + 1)
}

/** A deterministic substitute for a random UUID. */
function tableId(name: string, createdMs: number): string {
  const hex = createHash('sha256').update(`${name} ${createdMs}`).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

function checkThroughput({ BillingMode, ProvisionedThroughput: throughput }: CreateTableRequest): void {
  if (BillingMode === 'PAY_PER_REQUEST') {
    if (throughput !== undefined)
      throw validation(
        `${invalid}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST`,
      )
    return
  }
  if (throughput === undefined)
    throw validation(
      `${invalid}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED`,
    )
  for (const member of ['ReadCapacityUnits', 'WriteCapacityUnits'] as const)
    if (throughput[member] > 1e12) throw validation(`Given value ${throughput[member]} for ${member} is out of bounds`)
}

function checkKeySchema({ AttributeDefinitions, KeySchema }: CreateTableRequest): void {
  const defined = AttributeDefinitions.map(({ AttributeName }) => AttributeName)
  const keys = KeySchema.map(({ AttributeName }) => AttributeName)
  if (keys.length > defined.length) throw validation('Invalid KeySchema: Some index key attribute have no definition')
  if (keys.some((key) => !defined.includes(key)))
    throw validation(
      `${invalid}Some index key attributes are not defined in AttributeDefinitions. ` +
        `Keys: [${keys.join(', ')}], AttributeDefinitions: [${defined.join(', ')}]`,
    )
  if (keys[0] === keys[1])
    throw validation('Both the Hash Key and the Range Key element in the KeySchema have the same name')
  if (KeySchema[0]!.KeyType !== 'HASH')
    throw validation('Invalid KeySchema: The first KeySchemaElement is not a HASH key type')
  if (KeySchema[1] !== undefined && KeySchema[1].KeyType !== 'RANGE')
    throw validation('Invalid KeySchema: The second KeySchemaElement is not a RANGE key type')
  if (keys.length !== defined.length)
    throw validation(
      `${invalid}Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions`,
    )
}

interface Named {
  readonly TableName: string
}

export function describeTable({ TableName }: Named): Checked {
  return ({ catalogue }) => ({ Table: description(catalogue, catalogue.known(TableName)) })
}

export function deleteTable({ TableName }: Named): Checked {
  return ({ catalogue }) => ({ TableDescription: description(catalogue, catalogue.delete(TableName)) })
}

export function listTables(request: { readonly Limit?: number; readonly ExclusiveStartTableName?: string }): Checked {
  const { Limit = 100, ExclusiveStartTableName: start = '' } = request
  return ({ catalogue }) => {
    const names = catalogue.all.map(({ definition }) => definition.name).filter((name) => name > start)
    const TableNames = names.slice(0, Limit)
    return { TableNames, ...(names.length > Limit && { LastEvaluatedTableName: TableNames.at(-1) }) }
  }
}

export function updateTimeToLive(request: {
  readonly TableName: string
  readonly TimeToLiveSpecification: { readonly Enabled: boolean; readonly AttributeName: string }
}): Checked {
  return ({ host, catalogue }: Context) => {
    host.unjudged('UpdateTimeToLive')
    const table = catalogue.active(request.TableName)
    const { Enabled, AttributeName } = request.TimeToLiveSpecification
    if (Enabled === (table.timeToLive !== null))
      throw validation(`TimeToLive is already ${Enabled ? 'enabled' : 'disabled'}`)
    table.setTimeToLive(Enabled ? AttributeName : null, host.nowMs())
    return { TimeToLiveSpecification: { AttributeName, Enabled } }
  }
}

export function describeTimeToLive({ TableName }: Named): Checked {
  return ({ catalogue }) => {
    const { timeToLive } = catalogue.known(TableName)
    return {
      TimeToLiveDescription:
        timeToLive === null
          ? { TimeToLiveStatus: 'DISABLED' }
          : { AttributeName: timeToLive, TimeToLiveStatus: 'ENABLED' },
    }
  }
}
