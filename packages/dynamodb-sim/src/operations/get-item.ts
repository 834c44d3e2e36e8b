import { projected, type Way } from '../expressions/paths.ts'
import { checkPlaceholders, expressionsOf, type WithExpressions } from '../requests/expressions-of.ts'
import type { Table } from '../store/table.ts'
import type { Item } from '../values/attribute-value.ts'
import { normalisedItem } from '../values/normalised.ts'
import { consumed, readUnitsOf, type WantsCapacity } from './capacity.ts'
import { type Context, viewOf } from './context.ts'
import { checkKey, nestedHeads, refuseNestedKeys } from './keys.ts'
import type { Checked } from './single-writes.ts'

interface GetRequest extends WithExpressions, WantsCapacity {
  readonly TableName: string
  readonly Key: Item
  readonly ConsistentRead?: boolean
}

export function getItem(request: GetRequest): Checked {
  checkPlaceholders(request, ['ProjectionExpression'])
  const key = normalisedItem(request.Key)
  const { projection } = expressionsOf(request)
  return (context) => {
    const table = context.catalogue.active(request.TableName)
    checkRead(table, key, projection)
    const item = read(context, table, key, request.ConsistentRead)
    return {
      ...(item !== undefined && { Item: shown(item, projection) }),
      ...consumed(request, request.TableName, readUnitsOf(item, request.ConsistentRead)),
    }
  }
}

/** @throws ServiceError */
export function checkRead(table: Table, key: Item, projection: readonly Way[] | undefined): void {
  checkKey(table, key)
  refuseNestedKeys(table, nestedHeads(projection))
}

export function read(context: Context, table: Table, key: Item, consistent: boolean | undefined): Item | undefined {
  const text = table.keyOf(key)
  const partition = table.partitionOf(key[table.definition.partitionKey.name]!)
  return viewOf(context, table, consistent, partition).get(text)
}

export function shown(item: Item, projection: readonly Way[] | undefined): Item {
  return projection === undefined ? item : projected(projection, item)
}
