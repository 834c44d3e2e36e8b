/**
 * Decides which statements of a run can be compared, because another server must give the same
 * response (docs/reference/postgresql.md).
 */
import type { ParsedStatement } from 'postgres-sim'

type Node = ParsedStatement['node']

type Group = readonly [words: RegExp, why: string]

/**
 * Words in the text of a statement that end a sample, with the reason. Words inside of a string
 * literal count, too.
 */
const ends: readonly Group[] = [
  [/\bpg_sleep\b/i, 'statements that sleep'],
  [/\b(gen_random_uuid|random|setseed)\s*\(/i, 'chance'],
  [/\b(pg_backend_pid|txid_current\w*|pg_current_xact_id\w*)\s*\(/i, 'process and transaction ids'],
  [/\bsearch_path\b/i, 'the search path'],
  [/\bdeadlock_timeout\b/i, 'settings of deadlock detection'],
  [/\b(timeofday|age)\s*\(|\bpg_catalog\s*\.\s*(now|\w+_timestamp)\b/i, 'functions of the clock of PostgreSQL'],
  [/'\s*(now|today|tomorrow|yesterday)\b/i, 'functions of the clock of PostgreSQL'],
]

const ofTheServer = /\b(version\s*\(|server_version|pg_catalog|pg_type|pg_settings|pg_stat_\w+|show\s+all\b)/i

/** Why the statement cannot be replayed on another server; null if it can. */
export function whyNotAsked(sql: string, values: readonly (string | null)[], nodes: readonly Node[]): string | null {
  const found = ends.find(([words]) => words.test(sql))
  if (found !== undefined) return found[1]
  if (values.some((value) => value !== null && /^\s*(now|today|tomorrow|yesterday)\s*$/i.test(value)))
    return 'functions of the clock of PostgreSQL'
  const endsOf = nodes.map((node) => endOfTransaction(node))
  if (endsOf.includes('chain') || endsOf.slice(0, -1).includes('end')) return 'several transactions in one query'
  return null
}

/** True for introspection of the server: such a statement is executed, but not compared. */
export function isOfTheServer(sql: string): boolean {
  return ofTheServer.test(sql)
}

function endOfTransaction(node: Node): 'end' | 'chain' | null {
  if (!('TransactionStmt' in node)) return null
  const { kind, chain } = node.TransactionStmt
  if (kind !== 'TRANS_STMT_COMMIT' && kind !== 'TRANS_STMT_ROLLBACK') return null
  return chain === true ? 'chain' : 'end'
}
