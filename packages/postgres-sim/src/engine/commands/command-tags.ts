import type { Node } from 'libpg-query'

const fixed: Readonly<Record<string, string>> = {
  SelectStmt: 'SELECT',
  InsertStmt: 'INSERT',
  UpdateStmt: 'UPDATE',
  DeleteStmt: 'DELETE',
  CreateStmt: 'CREATE TABLE',
  IndexStmt: 'CREATE INDEX',
  CreateEnumStmt: 'CREATE TYPE',
  CreateSeqStmt: 'CREATE SEQUENCE',
  TruncateStmt: 'TRUNCATE TABLE',
  VariableShowStmt: 'SHOW',
  ListenStmt: 'LISTEN',
  UnlistenStmt: 'UNLISTEN',
  NotifyStmt: 'NOTIFY',
  PrepareStmt: 'PREPARE',
  ExecuteStmt: 'EXECUTE',
  LockStmt: 'LOCK TABLE',
}

const transactions: Readonly<Record<string, string>> = {
  TRANS_STMT_BEGIN: 'BEGIN',
  TRANS_STMT_START: 'START TRANSACTION',
  TRANS_STMT_COMMIT: 'COMMIT',
  TRANS_STMT_ROLLBACK: 'ROLLBACK',
  TRANS_STMT_ROLLBACK_TO: 'ROLLBACK',
  TRANS_STMT_SAVEPOINT: 'SAVEPOINT',
  TRANS_STMT_RELEASE: 'RELEASE',
  TRANS_STMT_PREPARE: 'PREPARE TRANSACTION',
  TRANS_STMT_COMMIT_PREPARED: 'COMMIT PREPARED',
  TRANS_STMT_ROLLBACK_PREPARED: 'ROLLBACK PREPARED',
}

const dropped: Readonly<Record<string, string>> = {
  OBJECT_TABLE: 'DROP TABLE',
  OBJECT_INDEX: 'DROP INDEX',
  OBJECT_SEQUENCE: 'DROP SEQUENCE',
}

/** The first words of a statement's command tag. */
export function tagOf(node: Node): string {
  if ('TransactionStmt' in node) return transactions[node.TransactionStmt.kind!] ?? 'TRANSACTION'
  if ('DropStmt' in node) return dropped[node.DropStmt.removeType!] ?? 'DROP'
  if ('DeallocateStmt' in node) return node.DeallocateStmt.name ? 'DEALLOCATE' : 'DEALLOCATE ALL'
  if ('DiscardStmt' in node) return `DISCARD ${node.DiscardStmt.target!.replace('DISCARD_', '')}`
  if ('VariableSetStmt' in node) {
    return ['VAR_RESET', 'VAR_RESET_ALL'].includes(node.VariableSetStmt.kind!) ? 'RESET' : 'SET'
  }
  const kind = Object.keys(node)[0]!
  return fixed[kind] ?? wordsOf(kind)
}

/**
 * Derives `CREATE FUNCTION` from `CreateFunctionStmt`, so that unsupported statements have a tag,
 * too.
 */
function wordsOf(kind: string): string {
  return kind
    .replace(/Stmt$/, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toUpperCase()
}
