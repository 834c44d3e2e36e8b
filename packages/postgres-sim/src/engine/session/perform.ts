import type { Node } from 'libpg-query'
import type { Backend } from '../backend.ts'
import type { Outcome } from '../border.ts'
import { tagOf } from '../commands/command-tags.ts'
import { runCommand } from '../commands/run-command.ts'
import { parseSql } from '../parser/parse-sql.ts'
import { checkDeferred, checkStatement } from '../rows/foreign-keys.ts'
import type { Running } from '../run.ts'
import { SqlError } from '../sql-error.ts'
import { describe, isQuery, type Prepared, runQuery } from './run-query.ts'

/** True for the statements that a failed transaction allows. */
function endsTransaction(node: Node): boolean {
  if (!('TransactionStmt' in node)) return false
  return ['TRANS_STMT_COMMIT', 'TRANS_STMT_ROLLBACK', 'TRANS_STMT_ROLLBACK_TO'].includes(node.TransactionStmt.kind!)
}

function refuseIfFailed(backend: Backend, node: Node): void {
  if (!backend.state.failed || endsTransaction(node)) return
  throw new SqlError('25P02', 'current transaction is aborted, commands ignored until end of transaction block')
}

export function parseStatements(
  backend: Backend,
  sql: string,
  parameterTypes: readonly number[] | undefined,
): readonly Prepared[] {
  return parseSql(sql).map(({ node, text }) => {
    const statement = {
      text,
      tag: tagOf(node),
      parameterTypes: [],
      fields: null,
      node,
      sql,
      declared: parameterTypes ?? [],
      compiled: null,
    }
    if (parameterTypes === undefined) return statement
    refuseIfFailed(backend, node)
    return describe(backend, statement)
  })
}

/** Executes one statement. If no transaction is open, starts and ends one. */
export function* perform(
  backend: Backend,
  statement: Prepared,
  parameters: readonly (string | null)[],
): Running<Outcome> {
  const { state } = backend
  backend.statementStartUs = backend.database.host.nowUs()
  const stopTimer = backend.timers.startStatement()
  try {
    refuseIfFailed(backend, statement.node)
    // The timer is stopped, because statement_timeout does not interrupt a commit that waits for
    // the standby.
    if (endsTransaction(statement.node)) stopTimer()
    state.ensureFor(statement.node)
    const written = state.current?.innermost.written.length ?? 0
    const outcome = isQuery(statement.node)
      ? yield* runQuery(backend, statement, parameters)
      : yield* runCommand(backend, statement, parameters)
    if (state.current && backend.database.catalog.hasForeignKeys) {
      yield* checkStatement(backend, written)
      if (state.isAlone) yield* checkDeferred(backend)
    }
    stopTimer()
    if (state.current) state.current.command++
    yield* state.afterStatement()
    return outcome
  } catch (error) {
    stopTimer()
    state.fail()
    return { ok: false, error: backend.reportedError(error) }
  }
}
