import type { Constraint } from 'libpg-query'
import type { Backend } from '../backend.ts'
import { type ForeignKey, partsOf, type Table } from '../catalog/relations.ts'
import type { Running } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { findLocked, relationName, stringOf } from './names.ts'
import { freeName } from './object-name.ts'

/** Adds a foreign key to a table that has no rows yet. `column` is null for a table constraint. */
export function* addForeignKey(
  backend: Backend,
  table: Table,
  given: Constraint,
  column: string | null,
): Running<void> {
  const { catalog } = backend.database
  if (table.partitionKey) throw new UnsupportedSql('a foreign key of a partitioned table')
  const onDelete = given.fk_del_action ?? 'a'
  if ((given.fk_upd_action ?? 'a') !== 'a' || !['a', 'r', 'c'].includes(onDelete))
    throw new UnsupportedSql('a foreign key with SET NULL, SET DEFAULT or an ON UPDATE action')
  if ((given.fk_matchtype ?? 's') !== 's') throw new UnsupportedSql('a foreign key MATCH FULL')
  if (given.deferrable && !given.initdeferred) throw new UnsupportedSql('a foreign key INITIALLY IMMEDIATE')
  if (given.skip_validation) throw new UnsupportedSql('a constraint NOT VALID')
  const name = relationName(given.pktable!)
  const parent = table.key === name ? table : yield* findLocked(backend, name, 6)
  if (!parent) throw new SqlError('42P01', `relation "${name}" does not exist`)
  if (parent.kind !== 'table' || parent.partitionKey) throw new UnsupportedSql(`a foreign key to ${name}`)
  const names = column === null ? (given.fk_attrs ?? []).map(stringOf) : [column]
  const columns = names.map((one) => at(table, one))
  const indexes = catalog.indexesOf(backend, parent)
  const asked = (given.pk_attrs ?? []).map(stringOf)
  const parentColumns =
    asked.length > 0
      ? asked.map((one) => at(parent, one))
      : (indexes.find((one) => one.primary)?.parts.map((part) => part.column) ?? [])
  if (parentColumns.length === 0)
    throw new SqlError('42704', `there is no primary key for referenced table "${parent.name}"`)
  if (parentColumns.length !== columns.length)
    throw new SqlError('42830', 'number of referencing and referenced columns for foreign key disagree')
  const index = indexes.find(
    (one) =>
      one.unique &&
      one.predicate === null &&
      one.parts.length === columns.length &&
      one.parts.every((part, i) => part.column === parentColumns[i]),
  )
  if (!index) {
    const reordered = indexes.some(
      (one) => one.unique && one.parts.every(({ column: of }) => parentColumns.includes(of)),
    )
    if (reordered) throw new UnsupportedSql('a foreign key to a key in another order')
    throw new SqlError(
      '42830',
      `there is no unique constraint matching given keys for referenced table "${parent.name}"`,
    )
  }
  columns.forEach((of, i) => {
    if (table.columns[of]!.type !== parent.columns[parentColumns[i]!]!.type)
      throw new UnsupportedSql('a foreign key to a column of another type')
  })
  const taken = [...table.foreignKeys, ...table.checks, ...catalog.indexesOf(backend, table)].map((one) => one.name)
  const chosen = given.conname ?? partsOf(freeName(backend, table.key, names.join('_'), 'fkey', taken)).name
  if (taken.includes(chosen))
    throw new SqlError('42710', `constraint "${chosen}" for relation "${table.name}" already exists`)
  const made: ForeignKey = {
    name: chosen,
    table,
    columns,
    parent,
    parentColumns,
    index,
    onDelete: onDelete as ForeignKey['onDelete'],
    deferred: given.initdeferred ?? false,
  }
  table.foreignKeys.push(made)
  parent.referencedBy.push(made)
  catalog.hasForeignKeys = true
}

function at(table: Table, name: string): number {
  const found = table.columns.findIndex((one) => one.name === name)
  if (found >= 0) return found
  throw new SqlError('42703', `column "${name}" referenced in foreign key constraint does not exist`)
}
