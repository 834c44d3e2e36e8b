import type { Item } from '../values/attribute-value.ts'
import { itemSize } from '../values/size.ts'

export type WantsCapacity = { readonly ReturnConsumedCapacity?: 'INDEXES' | 'TOTAL' | 'NONE' }

interface Consumed {
  readonly TableName: string
  readonly CapacityUnits: number
  readonly Table?: { readonly CapacityUnits: number }
}

export const readUnits = (bytes: number, consistent: boolean | undefined): number =>
  Math.ceil(bytes / 4096) * (consistent ? 1 : 0.5)

/** A missing item costs as much as the smallest one. */
export function readUnitsOf(item: Item | undefined, consistent: boolean | undefined): number {
  return readUnits(item === undefined ? 1 : itemSize(item), consistent)
}

/** Based on the larger of the items before and after the write. */
export function writeUnitsOf(...items: readonly (Item | undefined)[]): number {
  return Math.max(1, ...items.map((item) => (item === undefined ? 1 : Math.ceil(itemSize(item) / 1024))))
}

/** The member of the answer if the request asked for it. */
export function consumed({ ReturnConsumedCapacity: wanted }: WantsCapacity, TableName: string, units: number) {
  if (wanted !== 'TOTAL' && wanted !== 'INDEXES') return {}
  return { ConsumedCapacity: consumedBy(wanted, TableName, units) }
}

/** One entry for each table if the request asked for them. */
export function consumedByTables(
  { ReturnConsumedCapacity: wanted }: WantsCapacity,
  units: ReadonlyMap<string, number>,
) {
  if (wanted !== 'TOTAL' && wanted !== 'INDEXES') return {}
  return { ConsumedCapacity: [...units].map(([table, of]) => consumedBy(wanted, table, of)) }
}

function consumedBy(wanted: 'TOTAL' | 'INDEXES', TableName: string, CapacityUnits: number): Consumed {
  return { CapacityUnits, TableName, ...(wanted === 'INDEXES' && { Table: { CapacityUnits } }) }
}
