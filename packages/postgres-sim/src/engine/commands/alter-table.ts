import type { AlterTableCmd, AlterTableStmt, Constraint, PartitionCmd } from 'libpg-query'
import type { Backend } from '../backend.ts'
import { partsOf, type Sequence, type Table } from '../catalog/relations.ts'
import { Analysis, newScope } from '../expressions/analysis.ts'
import { coerce } from '../expressions/coerce.ts'
import { locationOf } from '../expressions/compile-expression.ts'
import { compilers } from '../queries/compilers.ts'
import { emptyRow, type Running } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { addChecks, checkExpressions, makeColumn, mustBeNames } from './create-table.ts'
import { addForeignKey } from './foreign-keys.ts'
import { findLocked, lockRelation, relationName } from './names.ts'
import { addKey, keysOf, mustBeKeys } from './table-keys.ts'

/**
 * Supports schema installation: adding columns and constraints to an empty table that the same
 * transaction created, and attaching partitions to any table. Other changes are refused because
 * concurrent sessions could see different versions of the table.
 */
export function* alterTable(backend: Backend, node: AlterTableStmt): Running<void> {
  if (node.objtype !== 'OBJECT_TABLE') throw new UnsupportedSql(`ALTER of ${node.objtype}`)
  const name = relationName(node.relation!)
  const commands = (node.cmds ?? []).flatMap((one) => ('AlterTableCmd' in one ? [one.AlterTableCmd] : []))
  const attaches = commands.some(({ subtype }) => subtype === 'AT_AttachPartition')
  const found = yield* findLocked(backend, name, attaches ? 4 : commands.every(isForeign) ? 6 : 8)
  if (!found) {
    if (!node.missing_ok) throw new SqlError('42P01', `relation "${name}" does not exist`)
    return backend.notice({
      severity: 'NOTICE',
      code: '42P01',
      message: `relation "${partsOf(name).name}" does not exist, skipping`,
    })
  }
  if (found.kind !== 'table') throw new UnsupportedSql(`ALTER TABLE of the ${found.kind} ${name}`)
  for (const command of commands) {
    if (command.subtype === 'AT_AttachPartition') {
      if (!command.def || !('PartitionCmd' in command.def)) throw new UnsupportedSql('this form of ATTACH PARTITION')
      yield* attach(backend, found, command.def.PartitionCmd)
    } else yield* alter(backend, found, command)
  }
  backend.database.catalog.changed(backend.currentXid())
}

function isForeign({ subtype, def }: AlterTableCmd): boolean {
  return subtype === 'AT_AddConstraint' && !!def && 'Constraint' in def && def.Constraint.contype === 'CONSTR_FOREIGN'
}

function mustBeNew(backend: Backend, table: Table): void {
  const { ids, catalog } = backend.database
  if (ids.statusOf(table.xmin) !== 'active' || ids.top(table.xmin) !== backend.topXid)
    throw new UnsupportedSql('ALTER TABLE of a table that an earlier transaction made')
  if (catalog.heapOf(backend, table).versions.length > 0) throw new UnsupportedSql('ALTER TABLE of a table with rows')
  if (backend.state.current!.levels.length > 1) throw new UnsupportedSql('ALTER TABLE behind a savepoint')
}

function* alter(backend: Backend, table: Table, command: AlterTableCmd): Running<void> {
  mustBeNew(backend, table)
  const { def } = command
  if (command.subtype === 'AT_AddConstraint' && def && 'Constraint' in def)
    return yield* addConstraint(backend, table, def.Constraint)
  if (command.subtype !== 'AT_AddColumn' || !def || !('ColumnDef' in def))
    throw new UnsupportedSql(`ALTER TABLE … ${command.subtype}`)
  if (table.partitionKey || table.bound) throw new UnsupportedSql('ADD COLUMN of a partitioned table')
  const definition = def.ColumnDef
  if (table.columns.some((one) => one.name === definition.colname)) {
    const message = `column "${definition.colname}" of relation "${table.name}" already exists`
    if (!command.missing_ok) throw new SqlError('42701', message)
    return backend.notice({ severity: 'NOTICE', code: '42701', message: `${message}, skipping` })
  }
  const sequences: Sequence[] = []
  const column = makeColumn(backend, table.key, definition, backend.currentXid(), sequences)
  const constraints = (definition.constraints ?? []).flatMap((one) => ('Constraint' in one ? [one.Constraint] : []))
  if (sequences.length > 0 || constraints.some((one) => one.contype === 'CONSTR_FOREIGN'))
    throw new UnsupportedSql('ADD COLUMN with a sequence or a foreign key')
  mustBeNames([...table.columns, column])
  table.columns.push(column)
  checkExpressions(backend, table)
  addChecks(backend, table, [definition], [])
  for (const key of keysOf([definition], [])) addKey(backend, table, key, backend.currentXid())
}

function* addConstraint(backend: Backend, table: Table, given: Constraint): Running<void> {
  const xid = backend.currentXid()
  if (given.contype === 'CONSTR_FOREIGN') return yield* addForeignKey(backend, table, given, null)
  if (given.contype === 'CONSTR_CHECK') return addChecks(backend, table, [], [given])
  const keys = keysOf([], [given])
  if (keys.length === 0 || given.indexname) throw new UnsupportedSql(`ADD CONSTRAINT of ${given.contype}`)
  if (keys[0]!.primary && backend.database.catalog.indexesOf(backend, table).some((one) => one.primary))
    throw new SqlError('42P16', `multiple primary keys for table "${table.name}" are not allowed`, {
      position: keys[0]!.position,
    })
  mustBeKeys(table, keys)
  addKey(backend, table, keys[0]!, xid)
}

function* attach(backend: Backend, table: Table, { name, bound }: PartitionCmd): Running<void> {
  const { catalog } = backend.database
  const key = table.partitionKey
  if (!key) throw new SqlError('42809', `table "${table.name}" is not partitioned`)
  const wanted = relationName(name!)
  const found = yield* findLocked(backend, wanted, 8)
  if (!found) throw new SqlError('42P01', `relation "${wanted}" does not exist`)
  if (found.kind !== 'table' || found.partitionKey) throw new UnsupportedSql(`ATTACH PARTITION of ${wanted}`)
  if (found.bound) throw new SqlError('42809', `"${found.name}" is already a partition`)
  const isDefault = bound?.is_default ?? false
  if (!bound || (!isDefault && bound.strategy !== 'l'))
    throw new UnsupportedSql('ATTACH PARTITION without a list of values')
  mustBeNew(backend, found)
  mustBeAlike(table, found)
  const { type } = table.columns[key.column]!
  const analysis = new Analysis(backend, [], compilers)
  const run = { backend, snapshot: backend.state.snapshot(), command: 0, parameters: [], once: null, written: 0 }
  const values = (bound.listdatums ?? []).map((one) => {
    const given = coerce(analysis, analysis.expression(one, newScope(null)), type, 'assignment')
    if (!given?.constant) throw new UnsupportedSql('a bound of a partition with more than a constant')
    const value = given.evaluate(emptyRow(run, null))
    return value === null ? null : type.write(value)
  })
  for (const other of catalog.partitionsOf(backend, table))
    if (other.bound!.isDefault && isDefault) throw new UnsupportedSql('a second default partition')
    else if (other.bound!.isDefault && catalog.heapOf(backend, other).versions.length > 0)
      throw new UnsupportedSql('ATTACH PARTITION beside a default partition with rows')
    else {
      const twice = values.findIndex((one) => other.bound!.values.includes(one))
      if (twice < 0) continue
      throw new SqlError('42P17', `partition "${found.name}" would overlap partition "${other.name}"`, {
        position: locationOf(bound.listdatums![twice]!) + 1,
      })
    }
  for (const index of catalog.indexesOf(backend, table)) {
    const has = catalog
      .indexesOf(backend, found)
      .some(
        (one) =>
          one.unique === index.unique &&
          one.primary === index.primary &&
          one.parts.length === index.parts.length &&
          one.parts.every((part, i) => part.column >= 0 && part.column === index.parts[i]!.column),
      )
    if (!has) throw new UnsupportedSql('ATTACH PARTITION of a table without an index that the partitioned one has')
  }
  yield* lockRelation(backend, table, 4)
  found.bound = { of: table, values, isDefault }
  table.partitions.push(found)
}

function mustBeAlike(table: Table, other: Table): void {
  const same = table.columns.every((column, i) => {
    const of = other.columns[i]
    return (
      of?.name === column.name &&
      of.type === column.type &&
      of.typmod === column.typmod &&
      (of.notNull || !column.notNull)
    )
  })
  const checked = table.checks.every(({ name }) => other.checks.some((one) => one.name === name))
  if (!same || !checked || other.columns.length !== table.columns.length)
    throw new UnsupportedSql('ATTACH PARTITION of a table with other columns or checks')
}
