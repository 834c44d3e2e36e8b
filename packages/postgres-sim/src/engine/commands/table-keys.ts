/** A primary key or unique constraint that a statement defines. */
import type { ColumnDef, Constraint } from 'libpg-query'
import type { Backend } from '../backend.ts'
import { Index, qualified, type Table } from '../catalog/relations.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { constraintsOf } from './column-constraints.ts'
import { mustBeIndexable } from './index-parts.ts'
import { stringOf } from './names.ts'
import { freeName } from './object-name.ts'
import { refuseStorage } from './storage-options.ts'

interface KeyAsked {
  readonly name: string | null
  readonly columns: readonly string[]
  readonly primary: boolean
  readonly nullsEqual: boolean
  readonly position: number
}

export function keysOf(definitions: readonly ColumnDef[], others: readonly Constraint[]): KeyAsked[] {
  const kinds = ['CONSTR_PRIMARY', 'CONSTR_UNIQUE']
  const asked = (one: Constraint, columns: readonly string[]): KeyAsked => {
    refuseStorage(one.options, one.indexspace)
    return {
      name: one.conname ?? null,
      columns,
      primary: one.contype === 'CONSTR_PRIMARY',
      nullsEqual: one.nulls_not_distinct ?? false,
      position: (one.location ?? 0) + 1,
    }
  }
  const ofColumns = definitions.flatMap((definition) =>
    constraintsOf(definition).flatMap((one) =>
      kinds.includes(one.contype!) ? [asked(one, [definition.colname!])] : [],
    ),
  )
  const ofTable = others.flatMap((one) => {
    if (!kinds.includes(one.contype!)) return []
    if (one.deferrable) throw new UnsupportedSql('a deferrable constraint')
    return [asked(one, (one.keys ?? []).map(stringOf))]
  })
  return [...ofColumns, ...ofTable]
}

export function addKey(
  backend: Backend,
  table: Table,
  { name, columns, primary, nullsEqual }: KeyAsked,
  xid: number,
): void {
  const parts = columns.map((column) => {
    const at = table.columns.findIndex((one) => one.name === column)
    mustBeIndexable(table.columns[at]!.type)
    if (primary) table.columns[at]!.notNull = true
    return { column: at, expression: null }
  })
  const { partitionKey } = table
  if (partitionKey && !parts.some(({ column }) => column === partitionKey.column))
    throw new UnsupportedSql('a key of a partitioned table without the column that it is partitioned by')
  const { catalog } = backend.database
  const own = () =>
    primary ? freeName(backend, table.key, null, 'pkey') : freeName(backend, table.key, columns.join('_'), 'key')
  if (name !== null && catalog.find(backend, qualified(table.schema, name)))
    throw new SqlError('42P07', `relation "${name}" already exists`)
  const oid = catalog.newOid()
  catalog.add(
    new Index({
      oid,
      key: name === null ? own() : qualified(table.schema, name),
      table,
      parts,
      predicate: null,
      unique: true,
      nullsEqual,
      primary,
      constraint: true,
      xmin: xid,
    }),
  )
}

/** @throws SqlError 42P16, 42703, 42701 */
export function mustBeKeys({ name, columns }: Table, keys: readonly KeyAsked[]): void {
  const [, second] = keys.filter((one) => one.primary)
  for (const key of keys) {
    const { position } = key
    if (key === second)
      throw new SqlError('42P16', `multiple primary keys for table "${name}" are not allowed`, { position })
    key.columns.forEach((column, at) => {
      if (!columns.some((one) => one.name === column))
        throw new SqlError('42703', `column "${column}" named in key does not exist`, { position })
      if (key.columns.indexOf(column) === at) return
      const kind = key.primary ? 'primary key' : 'unique'
      throw new SqlError('42701', `column "${column}" appears twice in ${kind} constraint`, { position })
    })
  }
}
