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

/** The read units for an item. A missing item costs as much as the smallest item. */
export function readUnitsOf(item: Item | undefined, consistent: boolean | undefined): number {
  return readUnits(item === undefined ? 1 : itemSize(item), consistent)
}

/**
 * The write units for a write. They depend on the larger one of the items before and after the
 * write.
 */
export function writeUnitsOf(...items: readonly (Item | undefined)[]): number {
  return Math.max(1, ...items.map((item) => (item === undefined ? 1 : Math.ceil(itemSize(item) / 1024))))
}

/** `ConsumedCapacity` if the request asked for it; otherwise no member. */
export function consumed({ ReturnConsumedCapacity: wanted }: WantsCapacity, TableName: string, units: number) {
  if (wanted !== 'TOTAL' && wanted !== 'INDEXES') return {}
  return { ConsumedCapacity: consumedBy(wanted, TableName, units) }
}

/**
 * `ConsumedCapacity` with one entry for each table if the request asked for it; otherwise no
 * member.
 */
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
