/**
 * The rows of a partitioned table are stored in its partitions. Each partition has its own heap and
 * indexes.
 */
import type { PartitionKey, Table } from '../catalog/relations.ts'
import { lockRelation } from '../commands/names.ts'
import type { Analysis } from '../expressions/analysis.ts'
import type { Run, Running } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import type { RowVersion } from '../storage/row-version.ts'
import type { Value } from '../values/value.ts'

/** The partition of each row version. Versions of tables without partitions have no entry. */
const homes = new WeakMap<RowVersion, Table>()

export function settle(table: Table, version: RowVersion): void {
  if (table.bound) homes.set(version, table)
}

/** The table that stores the version: the table itself or one of its partitions. */
export function homeOf(table: Table, version: RowVersion): Table {
  return table.partitionKey ? homes.get(version)! : table
}

/** The tables that store the rows: the table itself or its partitions. */
export function homesOf({ backend }: Analysis, table: Table): readonly Table[] {
  return table.partitionKey ? backend.database.catalog.partitionsOf(backend, table) : [table]
}

/** Calls `compile` once for each table that stores rows. */
export function forHomes<T>(analysis: Analysis, table: Table, compile: (home: Table) => T): (home: Table) => T {
  if (!table.partitionKey) {
    const only = compile(table)
    return () => only
  }
  const compiled = new Map(homesOf(analysis, table).map((home) => [home, compile(home)]))
  return (home) => compiled.get(home)!
}

const textOf = (table: Table, { column }: PartitionKey, values: readonly Value[]) => {
  const value = values[column] ?? null
  return value === null ? null : table.columns[column]!.type.write(value)
}

function takes({ backend }: Run, home: Table, key: PartitionKey, values: readonly Value[]): boolean {
  const text = textOf(home, key, values)
  const { of, isDefault, values: own } = home.bound!
  if (!isDefault) return own.includes(text)
  return !backend.database.catalog.partitionsOf(backend, of).some((one) => one.bound!.values.includes(text))
}

/** Chooses the table that stores a new row. @throws SqlError 23514 */
export function* routed(run: Run, table: Table, values: readonly Value[]): Running<Table> {
  const { partitionKey } = table
  if (!partitionKey) return table
  const { backend } = run
  const found = backend.database.catalog
    .partitionsOf(backend, table)
    .find((one) => takes(run, one, partitionKey, values))
  if (!found) {
    const text = textOf(table, partitionKey, values)
    throw new SqlError('23514', `no partition of relation "${table.name}" found for row`, {
      detail: `Partition key of the failing row contains (${table.columns[partitionKey.column]!.name}) = (${text ?? 'null'}).`,
      schema: table.schema,
      table: table.name,
    })
  }
  yield* lockRelation(backend, found, 3)
  return found
}

/** Refuses an UPDATE that would move a row to another partition. */
export function mustStay(run: Run, table: Table, home: Table, values: readonly Value[]): void {
  if (table.partitionKey && !takes(run, home, table.partitionKey, values))
    throw new UnsupportedSql('UPDATE that moves a row into another partition')
}

/**
 * True if the table accepts the row. Only a partition that a statement names directly may refuse a
 * row.
 */
export function isInBound(run: Run, table: Table, values: readonly Value[]): boolean {
  return !table.bound || takes(run, table, table.bound.of.partitionKey!, values)
}
