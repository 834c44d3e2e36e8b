import type { Random } from 'test-servers'
import type { Call } from '../call.ts'
import { condition, projection, update, Written } from './expressions.ts'
import { anyItem, anyKey, anyValue, key, many, type TableShape } from './values.ts'

export const tablesOf = (names: readonly [string, string]): readonly TableShape[] => [
  { name: names[0], hasSortKey: false },
  { name: names[1], hasSortKey: true },
]

export function creating({ name, hasSortKey }: TableShape): Call {
  const sort = hasSortKey ? [{ AttributeName: 'r', AttributeType: 'N' }] : []
  return {
    operation: 'CreateTable',
    input: {
      TableName: name,
      AttributeDefinitions: [{ AttributeName: 'k', AttributeType: 'S' }, ...sort],
      KeySchema: [
        { AttributeName: 'k', KeyType: 'HASH' },
        ...(hasSortKey ? [{ AttributeName: 'r', KeyType: 'RANGE' }] : []),
      ],
      BillingMode: 'PAY_PER_REQUEST',
    },
  }
}

/** Generates a call on one of the tables. */
export function call(random: Random, tables: readonly TableShape[]): Call {
  const table = random.pick(tables)
  const written = new Written(random)
  const TableName = random.chance(1) ? random.pick(['nosuch', 'x', 'bad name!']) : table.name
  const make = random.weighted<() => Call>([
    [8, () => putItem(random, table, written)],
    [8, () => updateItem(random, table, written)],
    [3, () => deleteItem(random, table, written)],
    [5, () => getItem(random, table, written)],
    [3, () => query(random, table, written)],
    [2, () => scan(random, written)],
    [1, () => batchGet(random, tables)],
    [1, () => batchWrite(random, tables)],
  ])
  const { operation, input } = make()
  return { operation, input: operation.startsWith('Batch') ? input : { TableName, ...input } }
}

function conditional(random: Random, written: Written): object {
  return random.chance(45) ? { ConditionExpression: condition(written) } : {}
}

const capacity = (random: Random) =>
  random.chance(10) ? { ReturnConsumedCapacity: random.pick(['TOTAL', 'INDEXES', 'NONE', 'ALL']) } : {}

function returned(random: Random, common: readonly string[]): object {
  const rare = ['NONE', 'ALL_OLD', 'UPDATED_OLD', 'ALL_NEW', 'UPDATED_NEW', 'all_old']
  return random.chance(50) ? { ReturnValues: random.pick(random.chance(90) ? common : rare) } : {}
}

function putItem(random: Random, table: TableShape, written: Written): Call {
  const input = {
    Item: anyItem(random, table),
    ...conditional(random, written),
    ...returned(random, ['NONE', 'ALL_OLD']),
    ...capacity(random),
  }
  return { operation: 'PutItem', input: { ...input, ...written.members } }
}

function deleteItem(random: Random, table: TableShape, written: Written): Call {
  const input = {
    Key: anyKey(random, table),
    ...conditional(random, written),
    ...returned(random, ['NONE', 'ALL_OLD']),
  }
  return { operation: 'DeleteItem', input: { ...input, ...written.members } }
}

function updateItem(random: Random, table: TableShape, written: Written): Call {
  const input = {
    Key: anyKey(random, table),
    ...(random.chance(95) && { UpdateExpression: update(written) }),
    ...conditional(random, written),
    ...returned(random, ['ALL_NEW', 'ALL_OLD', 'UPDATED_NEW', 'UPDATED_OLD']),
    ...capacity(random),
  }
  return { operation: 'UpdateItem', input: { ...input, ...written.members } }
}

function getItem(random: Random, table: TableShape, written: Written): Call {
  const input = {
    Key: anyKey(random, table),
    ...(random.chance(50) && { ConsistentRead: random.chance(50) }),
    ...(random.chance(40) && { ProjectionExpression: projection(written) }),
    ...capacity(random),
  }
  const { ExpressionAttributeNames } = written.members as { ExpressionAttributeNames?: object }
  return { operation: 'GetItem', input: { ...input, ...(ExpressionAttributeNames && { ExpressionAttributeNames }) } }
}

function paging(random: Random, table: TableShape): object {
  return {
    ...(random.chance(40) && { Limit: random.below(4) }),
    ...(random.chance(25) && { ExclusiveStartKey: anyKey(random, table) }),
    ...(random.chance(10) && { Select: random.pick(['COUNT', 'ALL_ATTRIBUTES']) }),
    ...(random.chance(20) && { ConsistentRead: random.chance(50) }),
  }
}

function filtering(random: Random, written: Written): object {
  return {
    ...(random.chance(30) && { FilterExpression: condition(written) }),
    ...(random.chance(20) && { ProjectionExpression: projection(written) }),
  }
}

function query(random: Random, table: TableShape, written: Written): Call {
  const input = {
    ...(random.chance(98) && { KeyConditionExpression: keyCondition(random, table, written) }),
    ...paging(random, table),
    ...filtering(random, written),
    ...(random.chance(40) && { ScanIndexForward: random.chance(50) }),
    ...capacity(random),
  }
  return { operation: 'Query', input: { ...input, ...written.members } }
}

function keyCondition(random: Random, table: TableShape, written: Written): string {
  const { k, r } = key(random, { ...table, hasSortKey: true })
  const partition = `k = ${written.value(() => (random.chance(95) ? k! : anyValue(random)))}`
  const sort = () =>
    written.value(() => (random.chance(90) ? key(random, { ...table, hasSortKey: true }).r! : anyValue(random)))
  if (!table.hasSortKey || random.chance(30))
    return random.chance(90)
      ? partition
      : random.pick([
          `${partition} AND r = ${sort()}`,
          `k > ${sort()}`,
          `k IN (${sort()})`,
          `NOT ${partition}`,
          `${partition} OR ${partition}`,
          'attribute_exists(k)',
          `size(k) = ${sort()}`,
          `k.a = ${sort()}`,
          'k = r',
          condition(written),
        ])
  const test = random.weighted<() => string>([
    [8, () => `r ${random.pick(['=', '<', '<=', '>', '>='])} ${sort()}`],
    [3, () => `r BETWEEN ${written.value(() => r!)} AND ${sort()}`],
    [1, () => `begins_with(r, ${sort()})`],
    [1, () => `${sort()} < r`],
    [1, () => `r <> ${sort()}`],
    [1, () => `a = ${sort()}`],
  ])()
  return random.chance(80) ? `${partition} AND ${test}` : `${test} AND ${partition}`
}

function scan(random: Random, written: Written): Call {
  const input = {
    ...(random.chance(40) && { Limit: random.below(5) }),
    ...filtering(random, written),
    ...(random.chance(10) && { Select: 'COUNT' }),
    ...capacity(random),
  }
  return { operation: 'Scan', input: { ...input, ...written.members } }
}

function batchGet(random: Random, tables: readonly TableShape[]): Call {
  const asked = tables
    .filter(() => random.chance(60))
    .map((table) => {
      const written = new Written(random)
      const of = {
        Keys: many(random, 4, () => anyKey(random, table)),
        ...(random.chance(20) && { ProjectionExpression: projection(written) }),
        ...(random.chance(20) && { ConsistentRead: true }),
      }
      const { names } = written
      return [table.name, { ...of, ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }) }]
    })
  return { operation: 'BatchGetItem', input: { RequestItems: Object.fromEntries(asked), ...capacity(random) } }
}

function batchWrite(random: Random, tables: readonly TableShape[]): Call {
  const asked = tables
    .filter(() => random.chance(60))
    .map((table) => [
      table.name,
      many(random, 4, () =>
        random.chance(60)
          ? { PutRequest: { Item: anyItem(random, table) } }
          : { DeleteRequest: { Key: anyKey(random, table) } },
      ),
    ])
  return { operation: 'BatchWriteItem', input: { RequestItems: Object.fromEntries(asked), ...capacity(random) } }
}
