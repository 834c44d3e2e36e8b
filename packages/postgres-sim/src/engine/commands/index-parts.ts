import type { IndexStmt, Node } from 'libpg-query'
import type { Backend } from '../backend.ts'
import type { IndexPart, Table } from '../catalog/relations.ts'
import { Analysis, type Scope } from '../expressions/analysis.ts'
import { systemColumns } from '../expressions/columns.ts'
import { toBoolean } from '../expressions/compile-boolean.ts'
import { locationOf } from '../expressions/compile-expression.ts'
import { isImmutable } from '../expressions/immutable.ts'
import { SchemaPlace } from '../expressions/schema-place.ts'
import { compilers } from '../queries/compilers.ts'
import { schemaScope } from '../rows/usable-indexes.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { type Type, types } from '../values/types.ts'
import { stringOf } from './names.ts'

/**
 * Reads the columns and expressions of an index. Errors occur in PostgreSQL's order.
 * @throws SqlError
 */
export function indexParts(backend: Backend, node: IndexStmt, table: Table): IndexPart[] {
  const analysis = new Analysis(backend, [], compilers)
  const predicate = schemaScope(table, new SchemaPlace('predicate'))
  const scope = schemaScope(table, new SchemaPlace('index'))
  const where = node.whereClause
  if (where) toBoolean(analysis, analysis.expression(where, predicate), 'WHERE', locationOf(where))
  const asked = (node.indexParams ?? []).map((one) => {
    if (!('IndexElem' in one)) throw new UnsupportedSql('this kind of index element')
    const { name, expr, opclass } = one.IndexElem
    const [unknown] = (opclass ?? []).map(stringOf).filter((given) => !operatorClasses.has(given))
    if (unknown !== undefined) throw new UnsupportedSql(`the operator class ${unknown}`)
    // An operator class defines the order. Without a class, the default class of the type is used.
    const type = expr ? analysis.expression(expr, scope).type : null
    return { name: name ?? null, expression: expr ?? null, type, isSaid: opclass !== undefined }
  })
  if (where) mustBeImmutable(analysis, where, predicate)
  const columnOf = (name: string) => {
    const column = table.columns.findIndex((other) => other.name === name)
    if (column < 0 && !systemColumns.has(name)) throw new SqlError('42703', `column "${name}" does not exist`)
    return column
  }
  const parts = asked.map(({ name, expression, type, isSaid }): IndexPart => {
    if (expression) mustBeImmutable(analysis, expression, scope)
    const column = expression ? -1 : columnOf(name!)
    const of = type ?? table.columns[column]?.type
    if (of && !isSaid) mustBeIndexable(of, node.accessMethod)
    return { column, expression }
  })
  for (const one of node.indexIncludingParams ?? []) if ('IndexElem' in one) columnOf(one.IndexElem.name!)
  const onSystem = parts.some(({ column, expression }) => column < 0 && !expression)
  if (onSystem || scope.place!.system || predicate.place!.system)
    throw new SqlError('0A000', 'index creation on system columns is not supported')
  return parts
}

/** Operator classes for the simulated types and PostgreSQL's built-in access methods. */
const operatorClasses = new Set([
  ...['text_ops', 'text_pattern_ops', 'varchar_ops', 'varchar_pattern_ops', 'bpchar_ops', 'bpchar_pattern_ops'],
  ...['int2_ops', 'int4_ops', 'int8_ops', 'numeric_ops', 'float4_ops', 'float8_ops', 'bool_ops', 'uuid_ops'],
  ...['date_ops', 'time_ops', 'timestamp_ops', 'timestamptz_ops', 'interval_ops', 'bytea_ops', 'array_ops'],
  ...['jsonb_ops', 'jsonb_path_ops'],
])

/**
 * Checks that the type has a default operator class. A btree index needs an order of the values;
 * `gin` indexes the elements of a value.
 * @throws SqlError 42704
 */
export function mustBeIndexable(type: Type, method = 'btree'): void {
  const unordered: readonly Type[] = [types.json, types.xid, types.unknown]
  if (method === 'btree' ? !unordered.includes(type) : method !== 'gin' || type.element || type === types.jsonb) return
  throw new SqlError('42704', `data type ${type.title} has no default operator class for access method "${method}"`, {
    hint: 'You must specify an operator class for the index or define a default operator class for the data type.',
  })
}

/** @throws SqlError 42P17 */
function mustBeImmutable(analysis: Analysis, node: Node, scope: Scope): void {
  if (isImmutable(analysis, node, scope)) return
  throw new SqlError('42P17', `functions in ${scope.place!.title.one} must be marked IMMUTABLE`)
}
