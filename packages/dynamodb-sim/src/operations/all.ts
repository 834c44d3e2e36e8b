import { batchGetItem, batchWriteItem } from './batches.ts'
import { getItem } from './get-item.ts'
import type { OperationName } from './names.ts'
import { query } from './query.ts'
import { scan } from './scan.ts'
import { type Checked, deleteItem, putItem, updateItem } from './single-writes.ts'
import { createTable, deleteTable, describeTable, describeTimeToLive, listTables, updateTimeToLive } from './tables.ts'
import { transactGetItems } from './transact-get.ts'
import { transactWriteItems } from './transact-write.ts'

/**
 * Each entry validates a request without access to its table, and returns the function that
 * executes the request. The parameter type is `never`, because every operation has another request
 * type.
 */
export const operations: Readonly<Record<OperationName, (request: never) => Checked>> = {
  BatchGetItem: batchGetItem,
  BatchWriteItem: batchWriteItem,
  CreateTable: (request) => createTable(request),
  DeleteItem: deleteItem,
  DeleteTable: deleteTable,
  DescribeTable: describeTable,
  DescribeTimeToLive: describeTimeToLive,
  GetItem: getItem,
  ListTables: listTables,
  PutItem: putItem,
  Query: query,
  Scan: scan,
  TransactGetItems: transactGetItems,
  TransactWriteItems: transactWriteItems,
  UpdateItem: updateItem,
  UpdateTimeToLive: updateTimeToLive,
}
