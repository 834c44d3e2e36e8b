import type { DropStmt, Node } from 'libpg-query'
import type { Backend } from '../backend.ts'
import { partsOf, qualified, type Relation } from '../catalog/relations.ts'
import type { Running } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { findLocked, lockRelation, mustHaveSchema, stringOf } from './names.ts'

const kinds: Readonly<Record<string, Relation['kind']>> = {
  OBJECT_TABLE: 'table',
  OBJECT_INDEX: 'index',
  OBJECT_SEQUENCE: 'sequence',
}

/** Executes DROP TABLE, DROP INDEX and DROP SEQUENCE. */
export function* dropRelations(backend: Backend, node: DropStmt): Running<void> {
  const kind = kinds[node.removeType!]
  if (!kind || node.concurrent) throw new UnsupportedSql(`DROP of ${node.removeType}`)
  const found: Relation[] = []
  for (const object of node.objects ?? []) {
    const name = nameOf(object)
    const relation = yield* findLocked(backend, name, 8)
    if (!relation) {
      const isMissing = !backend.database.catalog.hasSchemaOf(backend, name)
      const bare = partsOf(name)
      if (!node.missing_ok) {
        mustHaveSchema(backend, name)
        throw new SqlError(kind === 'index' ? '42704' : '42P01', `${kind} "${bare.name}" does not exist`)
      }
      const missing = isMissing ? `schema "${bare.schema}"` : `${kind} "${bare.name}"`
      backend.notice({ severity: 'NOTICE', code: '00000', message: `${missing} does not exist, skipping` })
    } else if (relation.kind !== kind) {
      const article = (one: string) => (one === 'index' ? 'an' : 'a')
      throw new SqlError('42809', `"${name}" is not ${article(kind)} ${kind}`, {
        hint: `Use DROP ${relation.kind.toUpperCase()} to remove ${article(relation.kind)} ${relation.kind}.`,
      })
    } else found.push(relation)
  }
  for (const relation of found) yield* drop(backend, relation)
}

function nameOf(object: Node): string {
  if (!('List' in object)) throw new UnsupportedSql('DROP of that')
  const names = (object.List.items ?? []).map(stringOf)
  return qualified(names.at(-2), names.at(-1)!)
}

function* drop(backend: Backend, relation: Relation): Running<void> {
  const { catalog, host } = backend.database
  if (relation.kind === 'table' && host.watches?.(relation.key))
    throw new UnsupportedSql(`DROP TABLE of ${relation.name}`)
  if (relation.kind === 'index' && relation.constraint) {
    throw new SqlError(
      '2BP01',
      `cannot drop index ${relation.name} because constraint ${relation.name} on table ${relation.table.name} requires it`,
      {
        hint: `You can drop constraint ${relation.name} on table ${relation.table.name} instead.`,
      },
    )
  }
  if (relation.kind === 'sequence' && relation.owner !== null)
    throw new UnsupportedSql('DROP SEQUENCE of a column’s own')
  if (relation.kind === 'index') yield* lockRelation(backend, relation.table, 8)
  if (relation.kind === 'table') {
    if (relation.partitionKey) throw new UnsupportedSql('DROP TABLE of a partitioned table')
    if (relation.referencedBy.some((one) => one.table !== relation && catalog.sees(backend, one.table)))
      throw new UnsupportedSql('DROP TABLE of a table that another one refers to')
    if (relation.bound) yield* lockRelation(backend, relation.bound.of, 8)
    for (const { parent } of relation.foreignKeys) yield* lockRelation(backend, parent, 8)
  }
  const xid = backend.currentXid()
  if (relation.kind === 'table') {
    for (const index of catalog.indexesOf(backend, relation)) catalog.drop(index, xid)
    for (const { sequence } of relation.columns) if (sequence) catalog.drop(sequence, xid)
  }
  catalog.drop(relation, xid)
}
