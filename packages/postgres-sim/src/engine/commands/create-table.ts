import type { ColumnDef, Constraint, CreateStmt, Node, TableLikeClause } from 'libpg-query'
import type { Backend } from '../backend.ts'
import { type Check, type Column, type PartitionKey, partsOf, type Sequence, Table } from '../catalog/relations.ts'
import { Analysis, type Scope } from '../expressions/analysis.ts'
import { coerce } from '../expressions/coerce.ts'
import { systemColumns } from '../expressions/columns.ts'
import { toBoolean } from '../expressions/compile-boolean.ts'
import { locationOf } from '../expressions/compile-expression.ts'
import { isImmutable } from '../expressions/immutable.ts'
import { SchemaPlace } from '../expressions/schema-place.ts'
import { namedType } from '../expressions/type-names.ts'
import { compilers } from '../queries/compilers.ts'
import { schemaScope } from '../rows/usable-indexes.ts'
import type { Running } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import type { Type } from '../values/types.ts'
import { constraintsOf, mustAgree } from './column-constraints.ts'
import { makeSequence } from './create-sequence.ts'
import { addForeignKey } from './foreign-keys.ts'
import { findLocked, isThere, lockRelation, nameIsFree, relationName, stringOf } from './names.ts'
import { freeName } from './object-name.ts'
import { refuseStorage } from './storage-options.ts'
import { addKey, keysOf, mustBeKeys } from './table-keys.ts'

export function* createTable(backend: Backend, node: CreateStmt): Running<void> {
  const { catalog } = backend.database
  const name = relationName(node.relation!)
  refuseOptions(node)
  if (isThere(backend, name, node.if_not_exists, (node.relation!.location ?? 0) + 1)) return
  const definitions = (node.tableElts ?? []).flatMap((one) => ('ColumnDef' in one ? [one.ColumnDef] : []))
  const others = (node.tableElts ?? []).flatMap((one) => ('Constraint' in one ? [one.Constraint] : []))
  const likes = (node.tableElts ?? []).flatMap((one) => ('TableLikeClause' in one ? [one.TableLikeClause] : []))
  if (definitions.length + others.length + likes.length < (node.tableElts ?? []).length)
    throw new UnsupportedSql('this element of CREATE TABLE')
  if (likes.length > 0 && (likes.length > 1 || definitions.length > 0 || others.length > 0))
    throw new UnsupportedSql('LIKE beside other elements of CREATE TABLE')
  yield* nameIsFree(backend, name, 'table')
  const xid = backend.currentXid()
  const sequences: Sequence[] = []
  const columns = definitions.map((one) => makeColumn(backend, name, one, xid, sequences))
  for (const one of likes) columns.push(...(yield* columnsLike(backend, one)))
  const table = new Table(catalog.newOid(), name, columns, xid, partitionKeyOf(node, columns))
  const keys = keysOf(definitions, others)
  mustBeKeys(table, keys)
  mustBeNames(columns)
  checkExpressions(backend, table)
  addChecks(backend, table, definitions, others)
  for (const sequence of sequences) catalog.add(sequence)
  catalog.add(table)
  yield* lockRelation(backend, table, 8)
  for (const key of [...keys].sort((a, b) => Number(b.primary) - Number(a.primary))) addKey(backend, table, key, xid)
  for (const definition of definitions)
    for (const one of constraintsOf(definition))
      if (one.contype === 'CONSTR_FOREIGN') yield* addForeignKey(backend, table, one, definition.colname!)
  for (const one of others) if (one.contype === 'CONSTR_FOREIGN') yield* addForeignKey(backend, table, one, null)
}

/** The option bits of LIKE … INCLUDING. */
const including = { defaults: 8, generated: 16 }

function* columnsLike(backend: Backend, { relation, options = 0 }: TableLikeClause): Running<Column[]> {
  const name = relationName(relation!)
  const found = yield* findLocked(backend, name, 1)
  if (!found)
    throw new SqlError('42P01', `relation "${name}" does not exist`, { position: (relation!.location ?? 0) + 1 })
  if (found.kind !== 'table') throw new UnsupportedSql(`LIKE of the ${found.kind} ${name}`)
  if ((options & ~(including.defaults | including.generated)) !== 0)
    throw new UnsupportedSql('LIKE that includes more than defaults and generated columns')
  const defaults = (options & including.defaults) !== 0
  if (defaults && found.columns.some((one) => one.sequence))
    throw new UnsupportedSql('LIKE of a column with a sequence')
  return found.columns.map((one) => ({
    ...one,
    fallback: defaults ? one.fallback : null,
    identity: null,
    sequence: null,
    generated: (options & including.generated) !== 0 ? one.generated : null,
  }))
}

function partitionKeyOf({ partspec }: CreateStmt, columns: readonly Column[]): PartitionKey | null {
  if (!partspec) return null
  const [part, ...more] = partspec.partParams ?? []
  const name = part && 'PartitionElem' in part ? part.PartitionElem.name : undefined
  if (!/^list$/i.test(partspec.strategy ?? '') || more.length > 0 || name === undefined)
    throw new UnsupportedSql('a table that is partitioned by more than a list of the values of one column')
  const column = columns.findIndex((one) => one.name === name)
  if (column < 0) throw new UnsupportedSql(`PARTITION BY LIST (${name})`)
  return { column }
}

/** @throws SqlError 42701 */
export function mustBeNames(columns: readonly Column[]): void {
  const repeated = columns.find((one, i) => columns.findIndex((other) => other.name === one.name) < i)
  if (repeated) throw new SqlError('42701', `column "${repeated.name}" specified more than once`)
  const system = columns.find(({ name }) => systemColumns.has(name))
  if (system) throw new SqlError('42701', `column name "${system.name}" conflicts with a system column name`)
}

function refuseOptions(node: CreateStmt): void {
  if (node.partbound) throw new UnsupportedSql('CREATE TABLE … PARTITION OF')
  if (node.inhRelations?.length) throw new UnsupportedSql('INHERITS')
  if (node.ofTypename) throw new UnsupportedSql('a table of a type')
  if (node.accessMethod && node.accessMethod !== 'heap') throw new UnsupportedSql(`a table of ${node.accessMethod}`)
  refuseStorage(node.options, node.tablespacename)
}

export function makeColumn(
  backend: Backend,
  table: string,
  definition: ColumnDef,
  xid: number,
  sequences: Sequence[],
): Column {
  const name = definition.colname!
  const named = namedType(backend, definition.typeName!)
  const constraints = constraintsOf(definition)
  const find = (kind: Constraint['contype']) => constraints.find((one) => one.contype === kind)
  const refused = constraints.find(
    (one) => one.contype === 'CONSTR_EXCLUSION' || (one.deferrable && one.contype !== 'CONSTR_FOREIGN'),
  )
  if (refused || constraints.some((one) => one.contype?.startsWith('CONSTR_ATTR_DEFERR'))) {
    throw new UnsupportedSql('a deferrable constraint')
  }
  mustCollate(definition, named.type)
  mustAgree(partsOf(table).name, name, constraints, named.serial)
  const identity = find('CONSTR_IDENTITY')
  let sequence: Sequence | null = null
  if (named.serial || identity) {
    sequence = makeSequence(backend, freeName(backend, table, name, 'seq'), identity?.options ?? [], xid, table, named)
    sequences.push(sequence)
  }
  return {
    name,
    type: named.type,
    typmod: named.typmod,
    notNull: named.serial || !!identity || !!find('CONSTR_NOTNULL') || !!find('CONSTR_PRIMARY'),
    fallback: find('CONSTR_DEFAULT')?.raw_expr ?? null,
    identity: identity ? (identity.generated_when === 'a' ? 'always' : 'default') : null,
    sequence,
    generated: find('CONSTR_GENERATED')?.raw_expr ?? null,
  }
}

/**
 * Collations that compare texts byte by byte, including the simulator's default collation.
 */
const byBytes = ['C', 'POSIX', 'default', 'ucs_basic']

/** @throws SqlError 42804 */
function mustCollate({ collClause }: ColumnDef, type: Type): void {
  if (!collClause) return
  const name = stringOf(collClause.collname!.at(-1)!)
  if (!byBytes.includes(name)) throw new UnsupportedSql(`the collation ${name}`)
  if ((type.element ?? type).category === 'S') return
  throw new SqlError('42804', `collations are not supported by type ${type.title}`, {
    position: (collClause.location ?? 0) + 1,
  })
}

/** Checks default and generation expressions when the table is created. */
export function checkExpressions(backend: Backend, table: Table): void {
  table.columns.forEach((column) => {
    const given = column.fallback ?? column.generated
    if (!given) return
    const analysis = new Analysis(backend, [], compilers)
    const place = new SchemaPlace(column.generated ? 'generated' : 'default')
    const scope = schemaScope(table, place)
    const expression = analysis.expression(given, scope)
    if (place.kind === 'generated') mustBeGeneratable(analysis, given, scope, place)
    // The length of a default value is only checked when the value is inserted.
    if (coerce(analysis, expression, column.type, 'assignment')) return
    throw new SqlError(
      '42804',
      `column "${column.name}" is of type ${column.type.title} but default expression is of type ${expression.type.title}`,
      {
        hint: 'You will need to rewrite or cast the expression.',
      },
    )
  })
}

/** @throws SqlError 42P17 */
function mustBeGeneratable(analysis: Analysis, given: Node, scope: Scope, { generated }: SchemaPlace): void {
  if (generated) {
    throw new SqlError('42P17', `cannot use generated column "${generated.name}" in column generation expression`, {
      detail: 'A generated column cannot reference another generated column.',
      position: generated.position,
    })
  }
  // The expression is checked without the cast to the column's type, which may depend on settings.
  if (!isImmutable(analysis, given, scope)) throw new SqlError('42P17', 'generation expression is not immutable')
}

export function addChecks(
  backend: Backend,
  table: Table,
  definitions: readonly ColumnDef[],
  others: readonly Constraint[],
): void {
  const add = (constraint: Constraint, column: string | null) => {
    const condition = constraint.raw_expr!
    const analysis = new Analysis(backend, [], compilers)
    const scope = schemaScope(table, new SchemaPlace('check'))
    toBoolean(analysis, analysis.expression(condition, scope), 'CHECK', locationOf(condition))
    const used = column ?? onlyColumn(condition)
    const names = table.checks.map((one) => one.name)
    const name = constraint.conname ?? partsOf(freeName(backend, table.key, used, 'check', names)).name
    if (names.includes(name)) throw new SqlError('42710', `check constraint "${name}" already exists`)
    table.checks.push({ name, condition } satisfies Check)
  }
  for (const definition of definitions) {
    for (const one of constraintsOf(definition)) if (one.contype === 'CONSTR_CHECK') add(one, onlyColumn(one.raw_expr!))
  }
  for (const one of others) {
    if (one.contype === 'CONSTR_CHECK') add(one, null)
    else if (!['CONSTR_PRIMARY', 'CONSTR_UNIQUE', 'CONSTR_FOREIGN'].includes(one.contype!)) {
      throw new UnsupportedSql(`the constraint ${one.contype}`)
    }
  }
  // PostgreSQL checks CHECK constraints in the order of their names.
  table.checks.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The column that the condition uses, if it uses exactly one; otherwise null. */
function onlyColumn(condition: Node): string | null {
  const names = [
    ...JSON.stringify(condition).matchAll(/"ColumnRef":\{"fields":\[\{"String":\{"sval":"([^"]+)"\}\}\]/g),
  ].map((one) => one[1]!)
  const found = new Set(names)
  return found.size === 1 ? [...found][0]! : null
}
