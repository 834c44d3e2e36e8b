import { validation } from '../errors.ts'
import { attributesOf } from '../expressions/condition-problems.ts'
import { checkPlaceholders, type Expressions, expressionsOf, type WithExpressions } from '../requests/expressions-of.ts'
import type { KeyAttribute, Table } from '../store/table.ts'
import { type Item, memberOf } from '../values/attribute-value.ts'
import { equal } from '../values/compare.ts'
import { viewOf } from './context.ts'
import { type KeyTest, keyTests, meets } from './key-condition.ts'
import { nestedHeads, refuseNestedKeys } from './keys.ts'
import { type PageRequest, page } from './page.ts'
import type { Checked } from './single-writes.ts'
import { checkedStart, checkStart, checkStartPieces } from './start-key.ts'

interface QueryRequest extends PageRequest, WithExpressions {
  readonly ScanIndexForward?: boolean
}

export function query(request: QueryRequest): Checked {
  checkPlaceholders(request, ['ProjectionExpression', 'FilterExpression', 'KeyConditionExpression'])
  const start = checkedStart(request.ExclusiveStartKey)
  if (request.KeyConditionExpression === undefined)
    throw validation('Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.')
  const expressions = expressionsOf(request)
  const tests = keyTests(expressions.keyCondition!)
  return (context) => {
    const table = context.catalogue.active(request.TableName)
    const { partitionKey, sortKey } = table.definition
    checkTests(table, tests, start)
    if (start !== undefined) checkWithin(table, tests, start)
    checkExpressions(table, expressions)
    const partition = table.partitionOf(tests.get(partitionKey.name)!.values[0]!)
    const view = viewOf(context, table, request.ConsistentRead, partition)
    const sortTest = sortKey === null ? undefined : tests.get(sortKey.name)
    const keys = view.keys.filter(
      (key) => key.startsWith(partition) && (sortTest === undefined || meets(sortTest, view.get(key)![sortKey!.name]!)),
    )
    if (request.ScanIndexForward === false) keys.reverse()
    return page(context, request, table, view, after(table, keys, start, request.ScanIndexForward), expressions)
  }
}

function after(table: Table, keys: string[], start: Item | undefined, forward: boolean | undefined): string[] {
  if (start === undefined) return keys
  const from = table.keyOf(start)
  return keys.filter((key) => (forward === false ? key < from : key > from))
}

function checkTests(table: Table, tests: ReadonlyMap<string, KeyTest>, start: Item | undefined): void {
  if (start !== undefined && Object.keys(start).length !== table.keySchema.length)
    throw validation('The provided starting key is invalid')
  for (const attribute of table.keySchema) {
    if (start !== undefined) checkStartPieces(table, attribute, start)
    checkTest(table, attribute, tests)
  }
}

function checkTest(table: Table, { name, type }: KeyAttribute, tests: ReadonlyMap<string, KeyTest>): void {
  const isPartitionKey = name === table.definition.partitionKey.name
  if (table.keySchema.length === 1 && tests.size > 1) throw validation('Query key condition not supported')
  const test = tests.get(name)
  if (test === undefined) {
    if (isPartitionKey || tests.size > 1) throw validation(`Query condition missed key schema element: ${name}`)
    return
  }
  if (test.values.some((value) => value[type] === undefined))
    throw validation('One or more parameter values were invalid: Condition parameter type does not match schema type')
  if (isPartitionKey && test.operator !== 'EQ') throw validation('Query key condition not supported')
}

function checkWithin(table: Table, tests: ReadonlyMap<string, KeyTest>, start: Item): void {
  checkStart(table, start)
  const { partitionKey, sortKey } = table.definition
  const samePartition = equal(start[partitionKey.name]!, tests.get(partitionKey.name)!.values[0]!)
  const sortTest = sortKey === null ? undefined : tests.get(sortKey.name)
  if (sortTest === undefined) {
    if (!samePartition)
      throw validation('The provided starting key is outside query boundaries based on provided conditions')
    return
  }
  if (!meets(sortTest, memberOf(start, sortKey!.name)!))
    throw validation('The provided starting key does not match the range key predicate')
  if (!samePartition) throw validation('The query can return at most one row and cannot be restarted')
}

function checkExpressions(table: Table, { projection, filter }: Expressions): void {
  refuseNestedKeys(table, nestedHeads(projection))
  if (filter === undefined) return
  const { heads, nested } = attributesOf(filter)
  for (const { name } of table.keySchema)
    if (heads.has(name))
      throw validation(`Filter Expression can only contain non-primary key attributes: Primary key attribute: ${name}`)
  refuseNestedKeys(table, nested)
}
