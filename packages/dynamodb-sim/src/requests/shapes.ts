import type { OperationName } from '../operations/names.ts'
import {
  attributeValue,
  choice,
  integer,
  list,
  map,
  type Shape,
  type Structure,
  structure,
  text,
  truth,
} from './shape.ts'

const namePattern = '[a-zA-Z0-9_.-]+'
const namespace = 'com.amazonaws.dynamodb.v20120810.'

const tableName = text({ notNull: true, pattern: namePattern, shortest: 3, longest: 255 })
/** A table name. Its presence and its length are checked earlier, by `checkTableName`. */
const namedTable = text({ pattern: namePattern })
const item = (constraints = {}) => map(attributeValue, `${namespace}AttributeValue`, constraints)
const placeholders = {
  ExpressionAttributeValues: item(),
  ExpressionAttributeNames: map(text(), 'java.lang.String'),
}
const capacity = choice('INDEXES', 'TOTAL', 'NONE')
const metrics = choice('SIZE', 'NONE')
const returned = choice('ALL_NEW', 'UPDATED_OLD', 'ALL_OLD', 'NONE', 'UPDATED_NEW')
const onFailure = choice('ALL_OLD', 'NONE')
const oldConditions = ['Expected', 'ConditionalOperator']
const selected = choice('SPECIFIC_ATTRIBUTES', 'COUNT', 'ALL_ATTRIBUTES', 'ALL_PROJECTED_ATTRIBUTES')
const byName = (notNull: boolean) => map(attributeValue, `${namespace}AttributeValue`, notNull ? { notNull: true } : {})

const write = (members: Readonly<Record<string, Shape>>) => ({
  ReturnConsumedCapacity: capacity,
  TableName: tableName,
  ...members,
  ReturnValues: returned,
  ReturnItemCollectionMetrics: metrics,
  ReturnValuesOnConditionCheckFailure: onFailure,
  ConditionExpression: text(),
  ...placeholders,
})

const action = (name: string, members: Readonly<Record<string, Shape>>) =>
  structure(name, {
    TableName: tableName,
    ...members,
    ...placeholders,
    ...(name === 'Get' ? { ProjectionExpression: text() } : { ConditionExpression: text() }),
    ReturnValuesOnConditionCheckFailure: onFailure,
  })

const throughput = structure('ProvisionedThroughput', {
  WriteCapacityUnits: { kind: 'long', notNull: true, least: 1 },
  ReadCapacityUnits: { kind: 'long', notNull: true, least: 1 },
})

/**
 * The request shape of each operation. `without` lists members of the real shape that are not
 * simulated.
 */
export const shapes: Readonly<Record<OperationName, Structure>> = {
  PutItem: structure('PutItemInput', write({ Item: byName(true) }), { without: oldConditions }),
  DeleteItem: structure('DeleteItemInput', write({ Key: byName(true) }), { without: oldConditions }),
  UpdateItem: structure('UpdateItemInput', write({ Key: byName(true), UpdateExpression: text() }), {
    without: [...oldConditions, 'AttributeUpdates'],
  }),
  GetItem: structure(
    'GetItemInput',
    {
      ReturnConsumedCapacity: capacity,
      TableName: tableName,
      Key: byName(true),
      ConsistentRead: truth,
      ProjectionExpression: text(),
      ExpressionAttributeNames: placeholders.ExpressionAttributeNames,
    },
    { without: ['AttributesToGet'] },
  ),
  Query: structure(
    'QueryInput',
    {
      Select: selected,
      ReturnConsumedCapacity: capacity,
      TableName: tableName,
      Limit: integer({ least: 1 }),
      ExclusiveStartKey: item(),
      ConsistentRead: truth,
      ScanIndexForward: truth,
      KeyConditionExpression: text(),
      FilterExpression: text(),
      ProjectionExpression: text(),
      ...placeholders,
    },
    { without: ['IndexName', 'QueryFilter', 'ConditionalOperator', 'AttributesToGet', 'KeyConditions'] },
  ),
  Scan: structure(
    'ScanInput',
    {
      Select: selected,
      ReturnConsumedCapacity: capacity,
      TableName: tableName,
      Limit: integer({ least: 1 }),
      ExclusiveStartKey: item(),
      ConsistentRead: truth,
      FilterExpression: text(),
      ProjectionExpression: text(),
      ...placeholders,
    },
    { without: ['IndexName', 'TotalSegments', 'Segment', 'ConditionalOperator', 'ScanFilter', 'AttributesToGet'] },
  ),
  BatchGetItem: structure('BatchGetItemInput', {
    ReturnConsumedCapacity: capacity,
    RequestItems: map(
      structure(
        'KeysAndAttributes',
        {
          Keys: list(item(), { notNull: true, shortest: 1, longest: 100 }),
          ConsistentRead: truth,
          ProjectionExpression: text(),
          ExpressionAttributeNames: placeholders.ExpressionAttributeNames,
        },
        { without: ['AttributesToGet'] },
      ),
      `${namespace}KeysAndAttributes`,
      { notNull: true, shortest: 1, keys: { longest: 255, shortest: 3, pattern: namePattern } },
    ),
  }),
  BatchWriteItem: structure('BatchWriteItemInput', {
    ReturnConsumedCapacity: capacity,
    ReturnItemCollectionMetrics: metrics,
    RequestItems: map(
      list(
        structure('WriteRequest', {
          DeleteRequest: structure('DeleteRequest', { Key: byName(true) }),
          PutRequest: structure('PutRequest', { Item: byName(true) }),
        }),
      ),
      `java.util.List<${namespace}WriteRequest>`,
      {
        notNull: true,
        shortest: 1,
        keys: { longest: 255, shortest: 3, pattern: namePattern },
        values: { longest: 25, shortest: 1 },
      },
    ),
  }),
  TransactWriteItems: structure('TransactWriteItemsInput', {
    ClientRequestToken: text({ shortest: 1, longest: 36 }),
    ReturnConsumedCapacity: capacity,
    ReturnItemCollectionMetrics: metrics,
    TransactItems: list(
      structure('TransactWriteItem', {
        ConditionCheck: action('ConditionCheck', { Key: byName(true) }),
        Put: action('Put', { Item: byName(true) }),
        Delete: action('Delete', { Key: byName(true) }),
        Update: action('Update', { Key: byName(true), UpdateExpression: text({ notNull: true }) }),
      }),
      { notNull: true, shortest: 1, longest: 100 },
    ),
  }),
  TransactGetItems: structure('TransactGetItemsInput', {
    ReturnConsumedCapacity: capacity,
    TransactItems: list(
      structure('TransactGetItem', {
        Get: structure(
          'Get',
          {
            TableName: tableName,
            Key: byName(true),
            ProjectionExpression: text(),
            ExpressionAttributeNames: placeholders.ExpressionAttributeNames,
          },
          { notNull: true },
        ),
      }),
      { notNull: true, shortest: 1, longest: 100 },
    ),
  }),
  CreateTable: structure(
    'CreateTableInput',
    {
      AttributeDefinitions: list(
        structure('AttributeDefinition', {
          AttributeName: text({ notNull: true }),
          AttributeType: text({ notNull: true, oneOf: ['B', 'N', 'S'] }),
        }),
        { notNull: true },
      ),
      TableName: namedTable,
      BillingMode: choice('PROVISIONED', 'PAY_PER_REQUEST'),
      ProvisionedThroughput: throughput,
      KeySchema: list(
        structure('KeySchemaElement', {
          AttributeName: text({ notNull: true }),
          KeyType: text({ notNull: true, oneOf: ['HASH', 'RANGE'] }),
        }),
        { notNull: true, shortest: 1, longest: 2 },
      ),
    },
    {
      without: [
        ...['LocalSecondaryIndexes', 'GlobalSecondaryIndexes', 'StreamSpecification', 'SSESpecification', 'Tags'],
        ...['TableClass', 'DeletionProtectionEnabled', 'WarmThroughput', 'ResourcePolicy', 'OnDemandThroughput'],
      ],
    },
  ),
  DescribeTable: structure('DescribeTableInput', { TableName: namedTable }),
  DeleteTable: structure('DeleteTableInput', { TableName: namedTable }),
  ListTables: structure('ListTablesInput', {
    Limit: integer({ least: 1, most: 100 }),
    ExclusiveStartTableName: text({ pattern: namePattern, shortest: 3, longest: 255 }),
  }),
  UpdateTimeToLive: structure('UpdateTimeToLiveInput', {
    TableName: tableName,
    TimeToLiveSpecification: structure(
      'TimeToLiveSpecification',
      {
        Enabled: { kind: 'boolean', notNull: true },
        AttributeName: text({ notNull: true, shortest: 1, longest: 255 }),
      },
      { notNull: true },
    ),
  }),
  DescribeTimeToLive: structure('DescribeTimeToLiveInput', { TableName: namedTable }),
}
