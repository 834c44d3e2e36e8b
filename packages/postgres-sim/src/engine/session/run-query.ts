import type { Node } from 'libpg-query'
import type { Backend } from '../backend.ts'
import type { Field, Outcome, Statement } from '../border.ts'
import { Analysis, type Plan, type ScopeColumn } from '../expressions/analysis.ts'
import { type LockTag, relationTag } from '../locks/lock-tag.ts'
import type { Mode } from '../locks/modes.ts'
import { characterOf } from '../parser/parse-sql.ts'
import { compilers } from '../queries/compilers.ts'
import type { Run, Running } from '../run.ts'
import { SqlError } from '../sql-error.ts'
import { type Type, types } from '../values/types.ts'
import type { Value } from '../values/value.ts'

/** A statement with its compilation, which is valid until the catalog changes. */
export interface Prepared extends Statement {
  readonly node: Node
  readonly sql: string
  declared: readonly number[]
  compiled: Compiled | null
}

export interface Compiled {
  readonly version: number
  /**
   * The session with whose uncommitted catalog changes the statement was compiled; null if the
   * compilation is valid for all sessions.
   */
  readonly of: Backend | null
  readonly declared: readonly number[]
  readonly analysis: Analysis
  readonly plan: Plan
  readonly parameterTypes: readonly number[]
  /** The result columns; null for statements that return no rows. */
  readonly fields: readonly Field[] | null
}

export function isQuery(node: Node): boolean {
  return 'SelectStmt' in node || 'InsertStmt' in node || 'UpdateStmt' in node || 'DeleteStmt' in node
}

/** Determines the parameter types and the result columns. */
export function describe(backend: Backend, statement: Prepared): Prepared {
  const asked = 'ExecuteStmt' in statement.node ? backend.prepared.get(statement.node.ExecuteStmt.name!) : undefined
  if (asked) return { ...statement, fields: describe(backend, asked).fields }
  if ('VariableShowStmt' in statement.node)
    return { ...statement, fields: [showField(backend.settings.titleOf(statement.node.VariableShowStmt.name!))] }
  if (!isQuery(statement.node)) return { ...statement, parameterTypes: [...statement.declared] }
  const compiled = compile(backend, statement)
  const { parameterTypes, fields } = compiled
  return { ...statement, parameterTypes, fields, compiled }
}

export function showField(name: string): Field {
  return { name, typeOid: types.text.oid, typeSize: -1, typeModifier: -1, tableOid: 0, column: 0 }
}

function fieldOf({ name, type, typmod, tableOid, column }: ScopeColumn): Field {
  return { name, typeOid: type.oid, typeSize: type.size, typeModifier: typmod, tableOid, column }
}

function compile(backend: Backend, statement: Prepared): Compiled {
  const attempt = tryToCompile(backend, statement)
  if ('error' in attempt) throw attempt.error
  return attempt
}

/** A compilation, or a failed compilation, which still lists the tables that it has found. */
type Attempt = Compiled | (Pick<Compiled, 'version' | 'analysis'> & { readonly error: unknown })

function tryToCompile(backend: Backend, statement: Prepared): Attempt {
  const { catalog, compiled } = backend.database
  const { version } = catalog
  const of = catalog.isChangedBy(backend) ? backend : null
  const before = statement.compiled
  if (before !== null && before.version === version && before.of === of) return before
  const { node, declared } = statement
  // Compilations are reused by node: sessions repeat statements, and the parser returns the same
  // node for the same text.
  const said = compiled.get(node)
  if (said !== undefined && said.version === version && said.of === of && areSame(said.declared, declared))
    return (statement.compiled = said)
  const analysis = new Analysis(backend, declared, compilers)
  try {
    const plan = analysis.statement(node, null)
    analysis.mustKnowParameters()
    const parameterTypes = analysis.parameterTypes.map((type) => type!.oid)
    const fields = plan.fields.length === 0 && !('SelectStmt' in node) ? null : plan.fields.map(fieldOf)
    statement.compiled = { version, of, declared, analysis, plan, parameterTypes, fields }
    if (!analysis.readsClock) compiled.set(node, statement.compiled)
    return statement.compiled
  } catch (error) {
    return { version, analysis, error: placed(error, statement.sql) }
  }
}

function areSame(some: readonly number[], others: readonly number[]): boolean {
  return some.length === others.length && some.every((one, at) => one === others[at])
}

/**
 * Converts the position of an error: compilers use byte offsets, clients expect character
 * positions.
 */
function placed(error: unknown, sql: string): unknown {
  if (!(error instanceof SqlError) || error.position === undefined) return error
  return error.with({ position: characterOf(sql, error.position - 1) })
}

export function* runQuery(
  backend: Backend,
  statement: Prepared,
  parameters: readonly (string | null)[],
): Running<Outcome> {
  const compiled = lockedAtOnce(backend, statement) ?? (yield* lockAndCompile(backend, statement))
  const given = readParameters(backend, compiled.analysis.parameterTypes, parameters)
  return yield* runPlan(backend, statement, compiled, given)
}

export function* runWithValues(backend: Backend, statement: Prepared, given: readonly Value[]): Running<Outcome> {
  const compiled = yield* lockAndCompile(backend, statement)
  return yield* runPlan(backend, statement, compiled, given)
}

/**
 * Returns the previous compilation if all its locks are available immediately. Otherwise returns
 * null, and the session holds the locks that were available.
 */
function lockedAtOnce(backend: Backend, statement: Prepared): Compiled | null {
  if (statement.compiled === null) return null
  const attempt = tryToCompile(backend, statement)
  if ('error' in attempt) return null
  for (const [table, { mode }] of attempt.analysis.relations)
    if (!isLocked(backend, relationTag(table.oid), mode)) return null
  return attempt
}

function isLocked(backend: Backend, tag: LockTag, mode: Mode): boolean {
  return backend.database.locks.holds(backend, tag, mode) || backend.tryLock(tag, mode, 'transaction')
}

/**
 * Compiles the statement and locks its tables. An error of the compilation is thrown after the
 * locks were acquired. Compiles again if the catalog has changed during the wait.
 */
function* lockAndCompile(backend: Backend, statement: Prepared): Running<Compiled> {
  const { sql } = statement
  for (;;) {
    const isNew = statement.compiled === null
    const attempt = tryToCompile(backend, statement)
    for (const [table, { mode, position }] of attempt.analysis.relations) {
      const tag = relationTag(table.oid)
      if (isLocked(backend, tag, mode)) continue
      try {
        yield* backend.lock(tag, mode, 'transaction')
      } catch (error) {
        // For a statement that was already analyzed, the executor takes the lock, and its error has
        // no position.
        throw isNew && error instanceof SqlError && error.code !== '57014'
          ? placed(error.with({ position }), sql)
          : error
      }
    }
    if (attempt.version !== backend.database.catalog.version) continue
    if ('error' in attempt) throw attempt.error
    return attempt
  }
}

function readParameters(
  backend: Backend,
  wanted: readonly (Type | null)[],
  given: readonly (string | null)[],
): readonly Value[] {
  if (given.length !== wanted.length) {
    throw new SqlError(
      '08P01',
      `bind message supplies ${given.length} parameters, but prepared statement "" requires ${wanted.length}`,
    )
  }
  const now = backend.database.host.nowUs()
  return given.map((text, i) => (text === null ? null : wanted[i]!.read(text, now)))
}

function* runPlan(
  backend: Backend,
  statement: Prepared,
  { plan, analysis, fields }: Compiled,
  parameters: readonly Value[],
): Running<Outcome> {
  const { state } = backend
  if ((analysis.writes || analysis.locks) && state.current!.readOnly) {
    const title = analysis.writes ? statement.tag : `SELECT ${analysis.locks}`
    throw new SqlError('25006', `cannot execute ${title} in a read-only transaction`)
  }
  const run: Run = {
    backend,
    snapshot: state.snapshot(),
    command: state.current!.command,
    parameters,
    once: null,
    written: 0,
  }
  try {
    const rows = yield* plan.rows(run, null)
    const isSelect = 'SelectStmt' in statement.node
    const count = isSelect ? rows.length : run.written
    const prefix = statement.tag === 'INSERT' ? 'INSERT 0' : statement.tag
    if (fields === null) return { ok: true, tag: `${prefix} ${count}`, fields, rows: [] }
    const columns = plan.fields
    const written = rows.map((row) => row.map((value, i) => (value === null ? null : columns[i]!.type.write(value))))
    return { ok: true, tag: `${prefix} ${count}`, fields, rows: written }
  } catch (error) {
    throw placed(error, statement.sql)
  }
}
