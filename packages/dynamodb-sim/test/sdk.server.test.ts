import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import {
  ConditionalCheckFailedException,
  DescribeTableCommand,
  DynamoDBClient,
  ProvisionedThroughputExceededException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb'
import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HttpConnection } from '../src/index.ts'
import { TablesLab } from './tables-lab.ts'

let lab: TablesLab
let server: Server
let plain: DynamoDBClient
let client: DynamoDBDocumentClient
let connections = 0

beforeEach(async () => {
  lab = new TablesLab()
  // The SDK adjusts its clock to the clock of the service.
  lab.now = Date.now()
  connections = 0
  server = createServer((socket) => {
    connections++
    const connection = new HttpConnection(lab.tables, {
      write: (bytes) => socket.write(bytes, 'latin1'),
      close: () => socket.end(),
    })
    socket.on('data', (bytes) => connection.receive(bytes.toString('latin1')))
    socket.on('close', () => connection.close())
    socket.on('error', () => connection.close())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  plain = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
  })
  client = DynamoDBDocumentClient.from(plain)
})

afterEach(async () => {
  plain.destroy()
  server.close()
  await once(server, 'close')
})

const reserve = () =>
  new PutCommand({
    TableName: 'tab',
    Item: { k: 'a', status: 'IN_PROGRESS', expires: 17.5 },
    ConditionExpression: 'attribute_not_exists(k)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  })

describe('the unmodified AWS SDK, over a socket', () => {
  it('reserves a key once, and receives the error of the service for the second attempt', async () => {
    await client.send(reserve())
    const error = await client.send(reserve()).catch((problem) => problem)
    expect(error).toBeInstanceOf(ConditionalCheckFailedException)
    expect(error.message).toBe('The conditional request failed')
    expect(error.$metadata.httpStatusCode).toBe(400)
    expect(error.$metadata.requestId).toMatch(/^[A-Z2-7]{52}$/)
    const { Item } = await client.send(new GetCommand({ TableName: 'tab', Key: { k: 'a' }, ConsistentRead: true }))
    expect(Item).toEqual({ k: 'a', status: 'IN_PROGRESS', expires: 17.5 })
    expect(connections).toBe(1)
  })

  it('updates an item, queries a table and describes a table', async () => {
    await client.send(reserve())
    const { Attributes } = await client.send(
      new UpdateCommand({
        TableName: 'tab',
        Key: { k: 'a' },
        UpdateExpression: 'SET #s = :done ADD tries :one',
        ConditionExpression: '#s = :before AND expires < :now',
        ExpressionAttributeNames: { '#s': 'status' },
        ExpressionAttributeValues: { ':done': 'COMPLETED', ':before': 'IN_PROGRESS', ':one': 1, ':now': 18 },
        ReturnValues: 'UPDATED_NEW',
      }),
    )
    expect(Attributes).toEqual({ status: 'COMPLETED', tries: 1 })
    const found = await client.send(
      new QueryCommand({
        TableName: 'tab',
        KeyConditionExpression: 'k = :k',
        ExpressionAttributeValues: { ':k': 'a' },
      }),
    )
    expect(found.Count).toBe(1)
    const { Table } = await client.send(new DescribeTableCommand({ TableName: 'tab' }))
    expect([Table?.TableStatus, Table?.CreationDateTime]).toEqual(['ACTIVE', expect.any(Date)])
  })

  it('parses the reasons of a canceled transaction', async () => {
    await client.send(reserve())
    const error = await client
      .send(
        new TransactWriteCommand({
          TransactItems: [
            { Put: { TableName: 'tab', Item: { k: 'b' } } },
            { Put: { TableName: 'tab', Item: { k: 'a' }, ConditionExpression: 'attribute_not_exists(k)' } },
          ],
        }),
      )
      .catch((problem) => problem)
    expect(error).toBeInstanceOf(TransactionCanceledException)
    expect(error.CancellationReasons.map(({ Code }: { Code: string }) => Code)).toEqual([
      'None',
      'ConditionalCheckFailed',
    ])
  })

  it('retries by itself after throttling and internal errors, and finally gives up', async () => {
    lab.faults = ['throttled', 'failed']
    const { $metadata } = await client.send(reserve())
    expect($metadata.attempts).toBe(3)
    lab.faults = Array.from({ length: 20 }, () => 'throttled' as const)
    await expect(client.send(reserve())).rejects.toBeInstanceOf(ProvisionedThroughputExceededException)
  })

  it('retries a conditional put that was executed but answered with an error; the condition of the retry is not met', async () => {
    lab.faults = ['failed-after']
    await expect(client.send(reserve())).rejects.toBeInstanceOf(ConditionalCheckFailedException)
  })

  it('performs a transaction once even if the first answer is an error, because the retry has the same token', async () => {
    await client.send(new PutCommand({ TableName: 'tab', Item: { k: 'n', n: 0 } }))
    lab.faults = ['failed-after']
    await client.send(
      new TransactWriteCommand({
        TransactItems: [
          {
            Update: {
              TableName: 'tab',
              Key: { k: 'n' },
              UpdateExpression: 'ADD n :one',
              ExpressionAttributeValues: { ':one': 1 },
            },
          },
        ],
      }),
    )
    const { Item } = await client.send(new GetCommand({ TableName: 'tab', Key: { k: 'n' }, ConsistentRead: true }))
    expect(Item).toEqual({ k: 'n', n: 1 })
  })
})
