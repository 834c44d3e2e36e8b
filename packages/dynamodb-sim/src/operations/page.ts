import type { Condition } from '../expressions/condition.ts'
import { matches } from '../expressions/matches.ts'
import type { Way } from '../expressions/paths.ts'
import type { Table } from '../store/table.ts'
import type { View } from '../store/view.ts'
import type { Item } from '../values/attribute-value.ts'
import { itemSize } from '../values/size.ts'
import { consumed, readUnits, type WantsCapacity } from './capacity.ts'
import type { Context } from './context.ts'
import { shown } from './get-item.ts'

/** Parameters shared by Query and Scan. */
export interface PageRequest extends WantsCapacity {
  readonly TableName: string
  readonly Limit?: number
  readonly ConsistentRead?: boolean
  readonly ExclusiveStartKey?: Item
  readonly Select?: 'SPECIFIC_ATTRIBUTES' | 'COUNT' | 'ALL_ATTRIBUTES' | 'ALL_PROJECTED_ATTRIBUTES'
}

/** A page ends with the item that brings its size to one megabyte or more. */
const pageBytes = 1024 * 1024

/** The answer of Query or Scan: the items with these keys in order, up to the end of the page. */
export function page(
  { host }: Context,
  request: PageRequest,
  table: Table,
  view: View,
  keys: readonly string[],
  expressions: { readonly filter?: Condition; readonly projection?: readonly Way[] },
): object {
  const { filter, projection } = expressions
  const { Select } = request
  if (Select === 'SPECIFIC_ATTRIBUTES' || Select === 'ALL_PROJECTED_ATTRIBUTES') host.unsupported(`Select=${Select}`)
  const read: Item[] = []
  let bytes = 0
  for (const key of keys) {
    if (read.length === request.Limit || bytes >= pageBytes) break
    const item = view.get(key)!
    read.push(item)
    bytes += itemSize(item)
  }
  const found =
    filter === undefined ? read : read.filter((item) => matches(filter, item, (what) => host.unjudged(what)))
  const last = read.at(-1)
  const isCut = last !== undefined && (read.length === request.Limit || bytes >= pageBytes)
  return {
    Count: found.length,
    ScannedCount: read.length,
    ...(Select !== 'COUNT' && { Items: found.map((item) => shown(item, projection)) }),
    ...(isCut && { LastEvaluatedKey: keyWithin(table, last) }),
    ...consumed(request, request.TableName, readUnits(bytes, request.ConsistentRead)),
  }
}

function keyWithin(table: Table, item: Item): Item {
  return Object.fromEntries(table.keySchema.map(({ name }) => [name, item[name]!]))
}
