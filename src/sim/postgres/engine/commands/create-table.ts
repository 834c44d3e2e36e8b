import type { ColumnDef, Constraint, CreateStmt, Node } from 'libpg-query'
import type { Backend } from '../backend.ts'
import { type Check, type Column, Index, type Sequence, Table } from '../catalog/relations.ts'
import { Analysis, type Scope } from '../expressions/analysis.ts'
import { coerce } from '../expressions/coerce.ts'
import { toBoolean } from '../expressions/compile-boolean.ts'
import { locationOf } from '../expressions/compile-expression.ts'
import { isImmutable } from '../expressions/immutable.ts'
import { SchemaPlace } from '../expressions/schema-place.ts'
import { namedType } from '../expressions/type-names.ts'
import { compilers } from '../queries/compilers.ts'
import { schemaScope } from '../rows/usable-indexes.ts'
import type { Running } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { makeSequence } from './create-sequence.ts'
import { isThere, lockRelation, nameIsFree, relationName, stringOf } from './names.ts'

interface KeyAsked {
  readonly name: string | null
  readonly columns: readonly string[]
  readonly primary: boolean
  readonly nullsEqual: boolean
}

export function* createTable(backend: Backend, node: CreateStmt): Running<void> {
  const { catalog } = backend.database
  const name = relationName(node.relation!)
  refuseOptions(node)
  if (isThere(backend, name, node.if_not_exists)) return
  const definitions = (node.tableElts ?? []).flatMap((one) => ('ColumnDef' in one ? [one.ColumnDef] : []))
  const others = (node.tableElts ?? []).flatMap((one) => ('Constraint' in one ? [one.Constraint] : []))
  if (definitions.length + others.length < (node.tableElts ?? []).length)
    throw new UnsupportedSql('LIKE in CREATE TABLE')
  yield* nameIsFree(backend, name, 'table')
  const xid = backend.currentXid()
  const sequences: Sequence[] = []
  const columns = definitions.map((one) => makeColumn(backend, name, one, xid, sequences))
  const repeated = columns.find((one, i) => columns.findIndex((other) => other.name === one.name) < i)
  if (repeated) throw new SqlError('42701', `column "${repeated.name}" specified more than once`)
  const table = new Table(catalog.newOid(), name, columns, xid)
  const keys = keysOf(definitions, others)
  if (keys.filter((one) => one.primary).length > 1) {
    throw new SqlError('42P16', `multiple primary keys for table "${name}" are not allowed`)
  }
  checkExpressions(backend, table, definitions)
  addChecks(backend, table, definitions, others)
  for (const sequence of sequences) catalog.add(sequence)
  catalog.add(table)
  yield* lockRelation(backend, table, 8)
  for (const key of [...keys].sort((a, b) => Number(b.primary) - Number(a.primary))) addKey(backend, table, key, xid)
}

function refuseOptions(node: CreateStmt): void {
  if (node.partspec || node.partbound) throw new UnsupportedSql('a partitioned table')
  if (node.inhRelations?.length) throw new UnsupportedSql('INHERITS')
  if (node.ofTypename) throw new UnsupportedSql('a table of a type')
}

function constraintsOf({ constraints }: ColumnDef): Constraint[] {
  return (constraints ?? []).flatMap((one) => ('Constraint' in one ? [one.Constraint] : []))
}

function makeColumn(
  backend: Backend,
  table: string,
  definition: ColumnDef,
  xid: number,
  sequences: Sequence[],
): Column {
  const name = definition.colname!
  const named = namedType(definition.typeName!)
  const constraints = constraintsOf(definition)
  const find = (kind: Constraint['contype']) => constraints.find((one) => one.contype === kind)
  const refused = constraints.find(
    (one) => ['CONSTR_FOREIGN', 'CONSTR_EXCLUSION'].includes(one.contype!) || one.deferrable,
  )
  if (refused || constraints.some((one) => one.contype?.startsWith('CONSTR_ATTR_DEFERR'))) {
    throw new UnsupportedSql(refused?.contype === 'CONSTR_FOREIGN' ? 'a foreign key' : 'a deferrable constraint')
  }
  mustHaveOneSource(table, name, constraints)
  const identity = find('CONSTR_IDENTITY')
  let sequence: Sequence | null = null
  if (named.serial || identity) {
    sequence = makeSequence(
      backend,
      freeName(backend, `${table}_${name}_seq`),
      identity?.options ?? [],
      xid,
      table,
      named,
    )
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

/** What fills a column where nothing is given, as messages name it. */
const sources: Readonly<Record<string, string>> = {
  CONSTR_DEFAULT: 'default',
  CONSTR_IDENTITY: 'identity',
  CONSTR_GENERATED: 'generation expression',
}

/** @throws SqlError 42601 */
function mustHaveOneSource(table: string, column: string, constraints: readonly Constraint[]): void {
  const given = constraints.filter(({ contype }) => contype! in sources)
  const [first, second] = given
  if (!first || !second) return
  if (first.contype === second.contype) throw new UnsupportedSql(`two of ${sources[first.contype!]} for one column`)
  const [a, b] = Object.keys(sources).filter((one) => one === first.contype || one === second.contype)
  const both = `both ${sources[a!]} and ${sources[b!]} specified`
  throw new SqlError('42601', `${both} for column "${column}" of table "${table}"`, {
    position: (second.location ?? 0) + 1,
  })
}

/** `name`, or the first of `name1`, `name2` that is free. */
function freeName(backend: Backend, name: string, taken: readonly string[] = []): string {
  const isFree = (one: string) => !backend.database.catalog.find(backend, one) && !taken.includes(one)
  for (let i = 0; ; i++) {
    const candidate = i === 0 ? name : `${name}${i}`
    if (isFree(candidate)) return candidate
  }
}

/** A default that does not fit is refused when the table is made. */
function checkExpressions(backend: Backend, table: Table, definitions: readonly ColumnDef[]): void {
  table.columns.forEach((column) => {
    const given = column.fallback ?? column.generated
    if (!given) return
    const analysis = new Analysis(backend, [], compilers)
    const place = new SchemaPlace(column.generated ? 'generated' : 'default')
    const scope = schemaScope(table, place)
    const expression = analysis.expression(given, scope)
    if (place.kind === 'generated') mustBeGeneratable(analysis, given, scope, place)
    if (coerce(analysis, expression, column.type, 'assignment', column.typmod)) return
    throw new SqlError(
      '42804',
      `column "${column.name}" is of type ${column.type.title} but default expression is of type ${expression.type.title}`,
      {
        hint: 'You will need to rewrite or cast the expression.',
      },
    )
  })
  if (definitions.length !== table.columns.length) throw new Error('each definition is a column')
}

/** @throws SqlError 42P17 */
function mustBeGeneratable(analysis: Analysis, given: Node, scope: Scope, { generated }: SchemaPlace): void {
  if (generated) {
    throw new SqlError('42P17', `cannot use generated column "${generated.name}" in column generation expression`, {
      detail: 'A generated column cannot reference another generated column.',
      position: generated.position,
    })
  }
  // The cast into the column's type may hang on settings.
  if (!isImmutable(analysis, given, scope)) throw new SqlError('42P17', 'generation expression is not immutable')
}

function addChecks(
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
    const base = used ? `${table.name}_${used}_check` : `${table.name}_check`
    const names = table.checks.map((one) => one.name)
    const name = constraint.conname ?? freeName(backend, base, names)
    table.checks.push({ name, condition } satisfies Check)
  }
  for (const definition of definitions) {
    for (const one of constraintsOf(definition)) if (one.contype === 'CONSTR_CHECK') add(one, onlyColumn(one.raw_expr!))
  }
  for (const one of others) {
    if (one.contype === 'CONSTR_CHECK') add(one, null)
    else if (one.contype !== 'CONSTR_PRIMARY' && one.contype !== 'CONSTR_UNIQUE') {
      throw new UnsupportedSql(one.contype === 'CONSTR_FOREIGN' ? 'a foreign key' : `the constraint ${one.contype}`)
    }
  }
  // They are checked in the order of their names.
  table.checks.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The column that a condition is about, where it is about one alone. */
function onlyColumn(condition: Node): string | null {
  const names = [
    ...JSON.stringify(condition).matchAll(/"ColumnRef":\{"fields":\[\{"String":\{"sval":"([^"]+)"\}\}\]/g),
  ].map((one) => one[1]!)
  const found = new Set(names)
  return found.size === 1 ? [...found][0]! : null
}

function keysOf(definitions: readonly ColumnDef[], others: readonly Constraint[]): KeyAsked[] {
  const kinds = ['CONSTR_PRIMARY', 'CONSTR_UNIQUE']
  const asked = (one: Constraint, columns: readonly string[]): KeyAsked => ({
    name: one.conname ?? null,
    columns,
    primary: one.contype === 'CONSTR_PRIMARY',
    nullsEqual: one.nulls_not_distinct ?? false,
  })
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

function addKey(backend: Backend, table: Table, { name, columns, primary, nullsEqual }: KeyAsked, xid: number): void {
  const parts = columns.map((column) => {
    const at = table.columns.findIndex((one) => one.name === column)
    if (at < 0) throw new SqlError('42703', `column "${column}" named in key does not exist`)
    if (primary) table.columns[at]!.notNull = true
    return { column: at, expression: null }
  })
  const { catalog } = backend.database
  const base = primary ? `${table.name}_pkey` : `${table.name}_${columns.join('_')}_key`
  if (name !== null && catalog.find(backend, name)) throw new SqlError('42P07', `relation "${name}" already exists`)
  const oid = catalog.newOid()
  catalog.add(
    new Index({
      oid,
      name: name ?? freeName(backend, base),
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
