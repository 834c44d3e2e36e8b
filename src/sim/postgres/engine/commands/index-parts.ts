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

/** What an index is on, refused in the order in which PostgreSQL looks at it. @throws SqlError */
export function indexParts(backend: Backend, node: IndexStmt, table: Table): IndexPart[] {
  const analysis = new Analysis(backend, [], compilers)
  const predicate = schemaScope(table, new SchemaPlace('predicate'))
  const scope = schemaScope(table, new SchemaPlace('index'))
  const where = node.whereClause
  if (where) toBoolean(analysis, analysis.expression(where, predicate), 'WHERE', locationOf(where))
  const asked = (node.indexParams ?? []).map((one) => {
    if (!('IndexElem' in one)) throw new UnsupportedSql('that part of an index')
    const { name, expr } = one.IndexElem
    if (expr) analysis.expression(expr, scope)
    return { name: name ?? null, expression: expr ?? null }
  })
  if (where) mustBeImmutable(analysis, where, predicate)
  const parts = asked.map(({ name, expression }): IndexPart => {
    if (expression) {
      mustBeImmutable(analysis, expression, scope)
      return { column: -1, expression }
    }
    const column = table.columns.findIndex((other) => other.name === name)
    if (column < 0 && !systemColumns.has(name!)) throw new SqlError('42703', `column "${name}" does not exist`)
    return { column, expression: null }
  })
  const onSystem = parts.some(({ column, expression }) => column < 0 && !expression)
  if (onSystem || scope.place!.system || predicate.place!.system)
    throw new SqlError('0A000', 'index creation on system columns is not supported')
  return parts
}

/** @throws SqlError 42P17 */
function mustBeImmutable(analysis: Analysis, node: Node, scope: Scope): void {
  if (isImmutable(analysis, node, scope)) return
  throw new SqlError('42P17', `functions in ${scope.place!.title.one} must be marked IMMUTABLE`)
}
