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

/** An item that is not there costs as much as the smallest one. */
export function readUnitsOf(item: Item | undefined, consistent: boolean | undefined): number {
  return readUnits(item === undefined ? 1 : itemSize(item), consistent)
}

/** The larger one of what was there and what is there now. */
export function writeUnitsOf(...items: readonly (Item | undefined)[]): number {
  return Math.max(1, ...items.map((item) => (item === undefined ? 1 : Math.ceil(itemSize(item) / 1024))))
}

/** The member of the answer, where it was asked for. */
export function consumed({ ReturnConsumedCapacity: wanted }: WantsCapacity, TableName: string, units: number) {
  if (wanted !== 'TOTAL' && wanted !== 'INDEXES') return {}
  return { ConsumedCapacity: consumedBy(wanted, TableName, units) }
}

/** One for each table, where it was asked for. */
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
