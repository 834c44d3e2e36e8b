import type { Node } from 'libpg-query'
import type { Backend } from '../backend.ts'
import type { Outcome } from '../border.ts'
import { Analysis, newScope } from '../expressions/analysis.ts'
import { coerce } from '../expressions/coerce.ts'
import { namedType } from '../expressions/type-names.ts'
import { compilers } from '../queries/compilers.ts'
import { checkDeferred } from '../rows/foreign-keys.ts'
import type { Running } from '../run.ts'
import { emptyRow } from '../run.ts'
import { describe, isQuery, type Prepared, runWithValues, showField } from '../session/run-query.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { typeByOid, types } from '../values/types.ts'
import { alterTable } from './alter-table.ts'
import { createFunction } from './create-function.ts'
import { createIndex } from './create-index.ts'
import { createEnum, createSchema } from './create-schema.ts'
import { createSequence } from './create-sequence.ts'
import { createTable } from './create-table.ts'
import { dropRelations } from './drop.ts'
import { lockTables } from './lock-tables.ts'
import { setVariable, show } from './set-and-show.ts'
import { transactionCommand } from './transaction-command.ts'
import { truncate } from './truncate.ts'

const done = (tag: string): Outcome => ({ ok: true, tag, fields: null, rows: [] })

/** Executes a utility statement, that is, everything except queries. */
export function* runCommand(
  backend: Backend,
  statement: Prepared,
  parameters: readonly (string | null)[],
): Running<Outcome> {
  const { node, tag } = statement
  if ('TransactionStmt' in node && node.TransactionStmt.kind === 'TRANS_STMT_COMMIT' && !backend.state.failed) {
    try {
      yield* checkDeferred(backend)
    } catch (error) {
      // A failed commit ends the transaction block.
      backend.state.rollback()
      throw error
    }
  }
  if ('TransactionStmt' in node) return done(yield* transactionCommand(backend, node.TransactionStmt))
  if ('VariableSetStmt' in node) {
    setVariable(backend, node.VariableSetStmt)
    return done(tag)
  }
  if ('VariableShowStmt' in node) {
    const name = node.VariableShowStmt.name!
    return { ok: true, tag, fields: [showField(backend.settings.titleOf(name))], rows: [[show(backend, name)]] }
  }
  if ('PrepareStmt' in node) return prepare(backend, statement)
  if ('ExecuteStmt' in node) return yield* executePrepared(backend, statement)
  if ('DeallocateStmt' in node) {
    const { name } = node.DeallocateStmt
    if (!name) backend.prepared.clear()
    else if (!backend.prepared.delete(name)) throw new SqlError('26000', `prepared statement "${name}" does not exist`)
    return done(tag)
  }
  if ('DiscardStmt' in node) return discard(backend, node.DiscardStmt.target!, tag)
  if (parameters.length > 0)
    throw new SqlError(
      '08P01',
      `bind message supplies ${parameters.length} parameters, but prepared statement "" requires 0`,
    )
  if ('ListenStmt' in node) backend.state.listen(node.ListenStmt.conditionname!, true)
  else if ('UnlistenStmt' in node) backend.state.listen(node.UnlistenStmt.conditionname ?? null, false)
  else if ('NotifyStmt' in node) backend.notify(node.NotifyStmt.conditionname!, node.NotifyStmt.payload ?? '')
  else yield* change(backend, statement)
  return done(tag)
}

function* change(backend: Backend, { node, tag }: Prepared): Running<void> {
  if (backend.state.current!.readOnly && !('LockStmt' in node))
    throw new SqlError('25006', `cannot execute ${tag} in a read-only transaction`)
  if ('CreateStmt' in node) yield* createTable(backend, node.CreateStmt)
  else if ('IndexStmt' in node) yield* createIndex(backend, node.IndexStmt)
  else if ('AlterTableStmt' in node) yield* alterTable(backend, node.AlterTableStmt)
  else if ('CreateFunctionStmt' in node) createFunction(backend, node.CreateFunctionStmt, change)
  else if ('CreateSchemaStmt' in node) createSchema(backend, node.CreateSchemaStmt)
  else if ('CreateEnumStmt' in node) createEnum(backend, node.CreateEnumStmt)
  else if ('CreateSeqStmt' in node) yield* createSequence(backend, node.CreateSeqStmt)
  else if ('DropStmt' in node) yield* dropRelations(backend, node.DropStmt)
  else if ('TruncateStmt' in node) yield* truncate(backend, node.TruncateStmt)
  else if ('LockStmt' in node) yield* lockTables(backend, node.LockStmt)
  else throw new UnsupportedSql(tag)
}

function prepare(backend: Backend, { node, sql }: Prepared): Outcome {
  const { name, query, argtypes } = (node as Extract<Node, { PrepareStmt: unknown }>).PrepareStmt
  if (!isQuery(query!)) throw new UnsupportedSql('PREPARE of a non-query')
  if (backend.prepared.has(name!)) throw new SqlError('42P05', `prepared statement "${name}" already exists`)
  const declared = (argtypes ?? []).map((one) => ('TypeName' in one ? namedType(backend, one.TypeName).type.oid : 0))
  const kind = Object.keys(query!)[0]!.replace('Stmt', '').toUpperCase()
  const statement: Prepared = {
    text: sql,
    tag: kind,
    parameterTypes: [],
    fields: null,
    node: query!,
    sql,
    declared,
    compiled: null,
  }
  const described = describe(backend, statement)
  backend.prepared.set(name!, { ...described, declared: described.parameterTypes })
  return done('PREPARE')
}

function* executePrepared(backend: Backend, { node, sql }: Prepared): Running<Outcome> {
  const { name, params } = (node as Extract<Node, { ExecuteStmt: unknown }>).ExecuteStmt
  const asked = backend.prepared.get(name!)
  if (!asked) throw new SqlError('26000', `prepared statement "${name}" does not exist`)
  const given = params ?? []
  if (given.length !== asked.declared.length) {
    throw new SqlError('42601', `wrong number of parameters for prepared statement "${name}"`, {
      detail: `Expected ${asked.declared.length} parameters but got ${given.length}.`,
    })
  }
  const analysis = new Analysis(backend, [], compilers)
  const run = { backend, snapshot: backend.state.snapshot(), command: 0, parameters: [], once: null, written: 0 }
  const values = given.map((one, i) => {
    const type = typeByOid(asked.declared[i]!) ?? types.text
    const compiled = coerce(analysis, analysis.expression(one, newScope(null)), type, 'assignment')
    if (!compiled) throw new UnsupportedSql(`an argument of EXECUTE of another type, in ${sql}`)
    return compiled.evaluate(emptyRow(run, null))
  })
  return yield* runWithValues(backend, asked, values)
}

function discard(backend: Backend, target: string, tag: string): Outcome {
  if (target !== 'DISCARD_ALL') return done(tag)
  if (backend.state.inBlock || backend.state.inImplicit)
    throw new SqlError('25001', 'DISCARD ALL cannot run inside a transaction block')
  backend.settings.reset(null)
  backend.prepared.clear()
  backend.state.listen(null, false)
  backend.advisory.unlockAll()
  backend.sequences.forget()
  return done(tag)
}
