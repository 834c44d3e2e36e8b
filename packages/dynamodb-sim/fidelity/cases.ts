import type { Call } from './call.ts'
import { creating } from './generate/calls.ts'

/**
 * Calls that the random generator rarely or never makes. Earlier calls store the data that later
 * calls need.
 */
export interface Case extends Call {
  readonly name: string
}

const hash = 'case-hash'
const range = 'case-range'

const of = (name: string, operation: string, input: object): Case => ({ name, operation, input })
const onHash = (name: string, operation: string, input: object) => of(name, operation, { TableName: hash, ...input })
const put = (name: string, item: object, more: object = {}) =>
  onHash(name, 'PutItem', { Item: { k: { S: 'a' }, ...item }, ...more })

const attribute = (AttributeName: string, AttributeType: string) => ({ AttributeName, AttributeType })
const keyElement = (AttributeName: string, KeyType: string) => ({ AttributeName, KeyType })
const create = (name: string, input: object) =>
  of(name, 'CreateTable', {
    TableName: 'case-other',
    AttributeDefinitions: [attribute('k', 'S')],
    KeySchema: [keyElement('k', 'HASH')],
    BillingMode: 'PAY_PER_REQUEST',
    ...input,
  })

const throughput = (read: number, write: number) => ({ ReadCapacityUnits: read, WriteCapacityUnits: write })

const creations: readonly Case[] = [
  create('a name that is too short', { TableName: 'ab' }),
  create('a name with other letters', { TableName: 'a b c' }),
  create('no name', { TableName: null }),
  create('an unknown type of attribute', { AttributeDefinitions: [attribute('k', 'X')] }),
  create('an unknown type of key', { KeySchema: [keyElement('k', 'SORT')] }),
  create('no key', { KeySchema: [] }),
  create('a key that is not defined', { KeySchema: [keyElement('z', 'HASH')] }),
  create('two keys, one attribute', { KeySchema: [keyElement('k', 'HASH'), keyElement('r', 'RANGE')] }),
  create('an attribute that is no key', { AttributeDefinitions: [attribute('k', 'S'), attribute('r', 'N')] }),
  create('a sort key alone', { KeySchema: [keyElement('k', 'RANGE')] }),
  create('the same key twice', {
    AttributeDefinitions: [attribute('k', 'S'), attribute('r', 'N')],
    KeySchema: [keyElement('k', 'HASH'), keyElement('k', 'RANGE')],
  }),
  create('two partition keys', {
    AttributeDefinitions: [attribute('k', 'S'), attribute('r', 'N')],
    KeySchema: [keyElement('k', 'HASH'), keyElement('r', 'HASH')],
  }),
  create('provisioned without capacity', { BillingMode: 'PROVISIONED' }),
  create('on demand with capacity', { ProvisionedThroughput: throughput(1, 1) }),
  create('too little capacity', { BillingMode: 'PROVISIONED', ProvisionedThroughput: throughput(0, 1) }),
  create('too much capacity', { BillingMode: 'PROVISIONED', ProvisionedThroughput: throughput(1, 1e13) }),
  create('nothing else', { AttributeDefinitions: null, KeySchema: null }),
  of('a table that is there', 'CreateTable', creating({ name: hash, hasSortKey: false }).input),
]

const tables: readonly Case[] = [
  of('all tables', 'ListTables', {}),
  of('one table', 'ListTables', { Limit: 1 }),
  of('no tables', 'ListTables', { Limit: 0 }),
  of('tables from one on', 'ListTables', { ExclusiveStartTableName: hash }),
  of('tables from a name on that is too short', 'ListTables', { ExclusiveStartTableName: 'a' }),
  of('a description', 'DescribeTable', { TableName: range }),
  of('a description of none', 'DescribeTable', { TableName: 'case-none' }),
  of('a description without a name', 'DescribeTable', {}),
  of('the deletion of none', 'DeleteTable', { TableName: 'case-none' }),
  of('time to live of a table without', 'DescribeTimeToLive', { TableName: hash }),
  of('time to live of none', 'DescribeTimeToLive', { TableName: 'case-none' }),
]

const limits: readonly Case[] = [
  put('an item of 400 KB', { x: { S: 'x'.repeat(409_600 - 3) } }, { ReturnConsumedCapacity: 'TOTAL' }),
  put('an item of 400 KB and a byte', { x: { S: 'x'.repeat(409_600 - 2) } }),
  onHash('an update beyond 400 KB', 'UpdateItem', {
    Key: { k: { S: 'a' } },
    UpdateExpression: 'SET y = :y',
    ExpressionAttributeValues: { ':y': { S: 'yy' } },
  }),
  onHash('a read of 400 KB', 'GetItem', { Key: { k: { S: 'a' } }, ReturnConsumedCapacity: 'INDEXES' }),
  put('a key of 2048 bytes', { k: { S: 'y'.repeat(2048) } }),
  put('a key of 2049 bytes', { k: { S: 'y'.repeat(2049) } }),
  put('38 digits', { n: { N: '1.2345678901234567890123456789012345678' } }, { ReturnValues: 'ALL_OLD' }),
  put('39 digits', { n: { N: '1.23456789012345678901234567890123456789' } }),
  put('the largest number', { n: { N: '9.9999999999999999999999999999999999999e125' } }),
  put('a number that is too large', { n: { N: '1e126' } }),
  put('the smallest number', { n: { N: '-1e-130' } }),
  put('a number that is too small', { n: { N: '1e-131' } }),
  put('zero with a large exponent', { n: { N: '0e200' } }),
]

const layer: readonly Case[] = [
  put(
    'a lock that is free',
    { status: { S: 'IN_PROGRESS' }, ttl: { N: '5' } },
    { ConditionExpression: 'attribute_not_exists(k) OR attribute_exists(n)' },
  ),
  put('a lock that is held', { status: { S: 'IN_PROGRESS' } }, { ConditionExpression: 'attribute_not_exists(k)' }),
  onHash('the lock, read consistently', 'GetItem', { Key: { k: { S: 'a' } }, ConsistentRead: true }),
  onHash('the lock taken over once it is expired', 'UpdateItem', {
    Key: { k: { S: 'a' } },
    UpdateExpression: 'SET #t = :new',
    ConditionExpression: '#t < :now AND #s = :in',
    ExpressionAttributeNames: { '#t': 'ttl', '#s': 'status' },
    ExpressionAttributeValues: { ':new': { N: '15' }, ':now': { N: '10' }, ':in': { S: 'IN_PROGRESS' } },
    ReturnValues: 'UPDATED_NEW',
  }),
  onHash('the lock taken over again', 'UpdateItem', {
    Key: { k: { S: 'a' } },
    UpdateExpression: 'SET #t = :new',
    ConditionExpression: '#t < :now',
    ExpressionAttributeNames: { '#t': 'ttl' },
    ExpressionAttributeValues: { ':new': { N: '15' }, ':now': { N: '10' } },
  }),
  onHash('the lock given back by its owner', 'DeleteItem', {
    Key: { k: { S: 'a' } },
    ConditionExpression: '#t = :mine',
    ExpressionAttributeNames: { '#t': 'ttl' },
    ExpressionAttributeValues: { ':mine': { N: '15.0' } },
    ReturnValues: 'ALL_OLD',
  }),
  onHash('the lock given back twice', 'DeleteItem', { Key: { k: { S: 'a' } } }),
]

const shapes: readonly Case[] = [
  onHash('no key', 'GetItem', {}),
  onHash('a key that is no map', 'GetItem', { Key: [] }),
  onHash('a consistent read that is no truth', 'GetItem', { Key: { k: { S: 'a' } }, ConsistentRead: 'maybe' }),
  of('a table that is no text', 'GetItem', { TableName: 5, Key: {} }),
  onHash('a limit that is no number', 'Scan', { Limit: 'ten' }),
  onHash('a limit with a fraction', 'Scan', { Limit: 1.9 }),
  onHash('an expression that is no text', 'PutItem', { Item: { k: { S: 'a' } }, ConditionExpression: {} }),
  of('a batch of nothing', 'BatchWriteItem', { RequestItems: {} }),
  of('no batch', 'BatchGetItem', {}),
  of('a batch of 26 writes', 'BatchWriteItem', {
    RequestItems: { [hash]: Array.from({ length: 26 }, (_, n) => ({ DeleteRequest: { Key: { k: { S: `${n}` } } } })) },
  }),
  of('a batch of 25 writes', 'BatchWriteItem', {
    RequestItems: { [hash]: Array.from({ length: 25 }, (_, n) => ({ PutRequest: { Item: { k: { S: `${n}` } } } })) },
    ReturnConsumedCapacity: 'TOTAL',
  }),
  of('a batch of 101 reads', 'BatchGetItem', {
    RequestItems: { [hash]: { Keys: Array.from({ length: 101 }, (_, n) => ({ k: { S: `${n}` } })) } },
  }),
  of('a batch of 100 reads', 'BatchGetItem', {
    RequestItems: { [hash]: { Keys: Array.from({ length: 100 }, (_, n) => ({ k: { S: `${n}` } })) } },
    ReturnConsumedCapacity: 'TOTAL',
  }),
  onHash('a scan in pages', 'Scan', { Limit: 7 }),
]

/** 60 items of about 20 KB, which exceed a page of one megabyte. */
const pages: readonly Case[] = [
  ...Array.from({ length: 60 }, (_, n) =>
    of('a large item', 'PutItem', {
      TableName: range,
      Item: { k: { S: 'p' }, r: { N: String(n - 30) }, x: { S: 'x'.repeat(20_000) } },
    }),
  ),
  of('a query backwards of the last ones', 'Query', {
    TableName: range,
    KeyConditionExpression: 'k = :k AND r BETWEEN :a AND :b',
    ExpressionAttributeValues: { ':k': { S: 'p' }, ':a': { N: '-2' }, ':b': { N: '2.5' } },
    ScanIndexForward: false,
    ProjectionExpression: 'r',
    ReturnConsumedCapacity: 'TOTAL',
  }),
]

export const caseTables = [
  { name: hash, hasSortKey: false },
  { name: range, hasSortKey: true },
] as const

export const cases: readonly Case[] = [...creations, ...tables, ...limits, ...layer, ...shapes, ...pages]
