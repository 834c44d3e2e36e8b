import type { CreateEnumStmt, CreateSchemaStmt } from 'libpg-query'
import type { Backend } from '../backend.ts'
import { partsOf, qualified } from '../catalog/relations.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { enumType } from '../values/enums.ts'
import { typeByName } from '../values/types.ts'
import { mustHaveSchema, stringOf } from './names.ts'

export function createSchema(backend: Backend, node: CreateSchemaStmt): void {
  const { catalog } = backend.database
  if (node.authrole || node.schemaElts?.length || !node.schemaname)
    throw new UnsupportedSql('CREATE SCHEMA with an owner or with elements')
  const name = node.schemaname
  if (name.includes('.')) throw new UnsupportedSql('a name with a dot in it')
  if (name.startsWith('pg_')) {
    throw new SqlError('42939', `unacceptable schema name "${name}"`, {
      detail: 'The prefix "pg_" is reserved for system schemas.',
    })
  }
  if (catalog.isSchemaPending(backend, name))
    throw new UnsupportedSql('CREATE SCHEMA of a name that another transaction makes')
  if (name === 'public' || name === 'information_schema' || catalog.schema(backend, name)) {
    const message = `schema "${name}" already exists`
    if (!node.if_not_exists) throw new SqlError('42P06', message)
    return backend.notice({ severity: 'NOTICE', code: '42P06', message: `${message}, skipping` })
  }
  const made = {
    kind: 'schema',
    oid: catalog.newOid(),
    key: name,
    thing: null,
    xmin: backend.currentXid(),
    xmax: 0,
  } as const
  catalog.addOther({ ...made })
}

/** Executes CREATE TYPE … AS ENUM. */
export function createEnum(backend: Backend, node: CreateEnumStmt): void {
  const { catalog } = backend.database
  const names = (node.typeName ?? []).map(stringOf)
  const key = qualified(names.at(-2), names.at(-1)!)
  mustHaveSchema(backend, key)
  const { schema, name } = partsOf(key)
  if (catalog.type(backend, key) || catalog.find(backend, key))
    throw new SqlError('42710', `type "${name}" already exists`)
  // The name of a built-in type is not supported, because PostgreSQL looks up an unqualified name
  // in pg_catalog first.
  if (schema === 'public' && typeByName(name)) throw new UnsupportedSql(`a type that is called ${name}`)
  const labels = (node.vals ?? []).map(stringOf)
  const xmin = backend.currentXid()
  if (new Set(labels).size < labels.length) throw new UnsupportedSql('an enum with a label twice')
  const oid = catalog.newOid()
  catalog.addOther({ kind: 'type', oid, key, thing: enumType(oid, name, key, labels), xmin, xmax: 0 })
  backend.database.host.typeMade?.(oid, key)
}
