import type { IndexStmt } from 'libpg-query'
import type { Backend } from '../backend.ts'
import { Index, qualified, type Table } from '../catalog/relations.ts'
import { Analysis } from '../expressions/analysis.ts'
import { compilers } from '../queries/compilers.ts'
import { keyOf } from '../rows/unique.ts'
import { usableIndexes } from '../rows/usable-indexes.ts'
import type { Run, Running } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { indexParts } from './index-parts.ts'
import { findLocked, isThere, nameIsFree, relationName } from './names.ts'
import { freeName } from './object-name.ts'
import { refuseStorage } from './storage-options.ts'

/**
 * Access methods that are accepted in addition to btree. Their indexes have no effect, because the
 * simulator does not model performance.
 */
const methods = ['hash', 'gin', 'gist', 'spgist', 'brin']

export function* createIndex(backend: Backend, node: IndexStmt): Running<void> {
  const { catalog } = backend.database
  if (node.concurrent) throw new UnsupportedSql('CREATE INDEX CONCURRENTLY')
  const { accessMethod = 'btree' } = node
  if (accessMethod !== 'btree' && (node.unique || !methods.includes(accessMethod)))
    throw new UnsupportedSql(`an index of ${accessMethod}`)
  refuseStorage(node.options, node.tableSpace)
  const found = yield* findLocked(backend, relationName(node.relation!), 5)
  if (!found) throw new SqlError('42P01', `relation "${relationName(node.relation!)}" does not exist`)
  if (found.kind !== 'table') throw new SqlError('42809', `cannot create index on relation "${found.name}"`)
  if (found.partitionKey) throw new UnsupportedSql('CREATE INDEX of a partitioned table')
  const parts = indexParts(backend, node, found)
  const name = node.idxname
    ? qualified(found.schema, node.idxname)
    : freeName(backend, found.key, titleOf(found, parts), 'idx')
  if (isThere(backend, name, node.if_not_exists)) return
  yield* nameIsFree(backend, name, 'index')
  const xmin = backend.currentXid()
  const predicate = node.whereClause ?? null
  const index = new Index({
    oid: catalog.newOid(),
    key: name,
    table: found,
    parts,
    predicate,
    unique: node.unique ?? false,
    nullsEqual: node.nulls_not_distinct ?? false,
    primary: false,
    constraint: false,
    xmin,
  })
  catalog.add(index)
  fill(backend, index, found)
}

/** The words from which PostgreSQL derives the name of an unnamed index. */
function titleOf(table: Table, parts: Index['parts']): string {
  const words = parts.map(({ column, expression }) => {
    if (column >= 0) return table.columns[column]!.name
    if (expression && 'FuncCall' in expression)
      return (expression.FuncCall.funcname ?? []).map((one) => ('String' in one ? one.String.sval : '')).at(-1)
    return 'expr'
  })
  return words.join('_')
}

/** Adds the existing rows of the table to the index if it is unique. @throws SqlError 23505 */
function fill(backend: Backend, index: Index, table: Table): void {
  const analysis = new Analysis(backend, [], compilers)
  const usable = usableIndexes(analysis, table).find((one) => one.index === index)!
  if (!index.unique) return
  const { catalog, ids } = backend.database
  const heap = catalog.heapOf(backend, table)
  const run: Run = {
    backend,
    snapshot: backend.state.snapshot(),
    command: backend.state.current!.command,
    parameters: [],
    once: null,
    written: 0,
  }
  for (const version of heap.versions) {
    if (ids.statusOf(version.xmin) === 'aborted') continue
    const key = keyOf(usable, version.values, run)
    if (key === null) continue
    const isLive = version.xmax === 0 || ids.statusOf(version.xmax) === 'aborted'
    const other = index.find(heap, key).find((one) => one.xmax === 0 || ids.statusOf(one.xmax) === 'aborted')
    if (isLive && other) {
      const values = usable
        .values(version.values, run)
        .map((value, i) => (value === null ? 'null' : usable.types[i]!.write(value)))
      throw new SqlError('23505', `could not create unique index "${index.name}"`, {
        detail: `Key (${usable.titles.join(', ')})=(${values.join(', ')}) is duplicated.`,
        schema: table.schema,
        table: table.name,
        constraint: index.name,
      })
    }
    index.add(heap, key, version)
  }
}
