import type { Catalogue } from '../store/catalogue.ts'
import type { Table } from '../store/table.ts'
import { itemSize } from '../values/size.ts'

/**
 * The description in the answer of DescribeTable. Region and account are the usual ones of
 * emulators.
 */
export function description(catalogue: Catalogue, table: Table): object {
  const { name, id, billing, capacity, createdMs, partitionKey, sortKey } = table.definition
  const status = catalogue.statusOf(table)
  return {
    AttributeDefinitions: table.keySchema.map(({ name, type }) => ({ AttributeName: name, AttributeType: type })),
    CreationDateTime: createdMs / 1000,
    ItemCount: table.size,
    KeySchema: [
      { AttributeName: partitionKey.name, KeyType: 'HASH' },
      ...(sortKey === null ? [] : [{ AttributeName: sortKey.name, KeyType: 'RANGE' }]),
    ],
    ProvisionedThroughput: {
      NumberOfDecreasesToday: 0,
      ReadCapacityUnits: capacity.read,
      WriteCapacityUnits: capacity.write,
    },
    TableArn: `arn:aws:dynamodb:us-east-1:000000000000:table/${name}`,
    TableId: id,
    TableName: name,
    TableSizeBytes: table.keys.reduce((bytes, key) => bytes + itemSize(table.get(key)!), 0),
    TableStatus: status,
    ...(billing === 'PAY_PER_REQUEST' && {
      BillingModeSummary: {
        BillingMode: billing,
        ...(status === 'ACTIVE' && { LastUpdateToPayPerRequestDateTime: createdMs / 1000 }),
      },
      TableThroughputModeSummary: { TableThroughputMode: billing },
    }),
  }
}
