import type { DefElem, TransactionStmt } from 'libpg-query'
import type { Backend } from '../backend.ts'
import type { Running } from '../run.ts'
import type { Isolation } from '../session/transaction.ts'
import { setDeferrable, setIsolation, setReadOnly } from '../session/transaction-modes.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { tagOf } from './command-tags.ts'

/** Executes BEGIN, COMMIT and the other transaction commands. Returns the command tag. */
export function* transactionCommand(backend: Backend, node: TransactionStmt): Running<string> {
  const { state } = backend
  const name = node.savepoint_name ?? ''
  switch (node.kind) {
    case 'TRANS_STMT_BEGIN':
    case 'TRANS_STMT_START':
      if (state.inBlock) {
        backend.notice({ severity: 'WARNING', code: '25001', message: 'there is already a transaction in progress' })
      }
      state.begin()
      setModes(backend, node.options ?? [])
      return node.kind === 'TRANS_STMT_BEGIN' ? 'BEGIN' : 'START TRANSACTION'
    case 'TRANS_STMT_COMMIT':
    case 'TRANS_STMT_ROLLBACK':
      if (node.chain) throw new UnsupportedSql('AND CHAIN')
      return yield* end(backend, node.kind === 'TRANS_STMT_COMMIT')
    case 'TRANS_STMT_SAVEPOINT':
      inBlock(backend, 'SAVEPOINT')
      state.savepoint(name)
      return 'SAVEPOINT'
    case 'TRANS_STMT_RELEASE':
      inBlock(backend, 'RELEASE SAVEPOINT')
      state.release(name)
      return 'RELEASE'
    case 'TRANS_STMT_ROLLBACK_TO':
      inBlock(backend, 'ROLLBACK TO SAVEPOINT')
      state.rollbackTo(name)
      return 'ROLLBACK'
    default:
      throw new UnsupportedSql(tagOf({ TransactionStmt: node }))
  }
}

function inBlock(backend: Backend, title: string): void {
  if (!backend.state.inBlock) throw new SqlError('25P01', `${title} can only be used in transaction blocks`)
}

function* end(backend: Backend, commit: boolean): Running<string> {
  const { state } = backend
  if (!state.inBlock) {
    backend.notice({ severity: 'WARNING', code: '25P01', message: 'there is no transaction in progress' })
    if (!state.inImplicit) return commit ? 'COMMIT' : 'ROLLBACK'
  }
  if (!commit || state.failed) {
    state.rollback()
    return 'ROLLBACK'
  }
  try {
    yield* state.commit()
  } catch (error) {
    // A failed commit ends the transaction block.
    state.rollback()
    throw error
  }
  return 'COMMIT'
}

/** Applies the modes of BEGIN and SET TRANSACTION: ISOLATION LEVEL, READ ONLY and DEFERRABLE. */
export function setModes(backend: Backend, options: readonly unknown[]): void {
  for (const option of options as { DefElem: DefElem }[]) {
    const { defname, arg } = option.DefElem
    const constant = arg && 'A_Const' in arg ? arg.A_Const : undefined
    if (defname === 'transaction_isolation') setIsolation(backend, constant?.sval?.sval as Isolation)
    else if (defname === 'transaction_read_only') setReadOnly(backend, constant?.ival?.ival === 1)
    else setDeferrable(backend, constant?.ival?.ival === 1)
  }
}
