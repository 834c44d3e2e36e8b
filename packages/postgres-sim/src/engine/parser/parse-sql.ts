import type { Node } from 'libpg-query'
import { SqlError } from '../sql-error.ts'

export interface ParsedStatement {
  readonly node: Node
  readonly text: string
}

let parser: { parseSync(sql: string): { stmts?: { stmt: Node; stmt_location?: number; stmt_len?: number }[] } } | null =
  null

/**
 * Loads PostgreSQL 15's own parser, compiled to WebAssembly. It must be awaited before the first
 * statement, outside of all simulated processes.
 */
export async function loadSqlParser(): Promise<void> {
  if (parser) return
  const module = await import('libpg-query')
  await module.loadModule()
  parser = module
}

const known = new Map<string, readonly ParsedStatement[]>()
const mostKnown = 2000

/** @throws SqlError 42601 */
export function parseSql(sql: string): readonly ParsedStatement[] {
  const before = known.get(sql)
  if (before) return before
  if (!parser) throw new Error('loadSqlParser() was not awaited')
  // The parser refuses an empty text, but PostgreSQL accepts it.
  if (sql.trim() === '') return []
  let parsed: readonly ParsedStatement[]
  try {
    parsed = (parser.parseSync(sql).stmts ?? []).map(({ stmt, stmt_location, stmt_len }) => ({
      node: stmt,
      text: sliceBytes(sql, stmt_location ?? 0, stmt_len ?? 0),
    }))
  } catch (error) {
    throw syntaxError(error, sql)
  }
  for (const { node } of parsed) refuseParameters(node, sql)
  if (known.size >= mostKnown) known.clear()
  known.set(sql, parsed)
  return parsed
}

/**
 * Refuses a parameter as a value of SET, which this parser accepts and PostgreSQL's grammar does
 * not.
 * @throws SqlError 42601
 */
function refuseParameters(node: Node, sql: string): void {
  if (!('VariableSetStmt' in node)) return
  for (const one of node.VariableSetStmt.args ?? []) {
    if (!('ParamRef' in one)) continue
    const { number, location } = one.ParamRef
    throw new SqlError('42601', `syntax error at or near "$${number}"`, { position: characterOf(sql, location ?? 0) })
  }
}

function syntaxError(error: unknown, sql: string): SqlError {
  const details = (error as { sqlDetails?: { message: string; cursorPosition: number } }).sqlDetails
  if (!details) throw error
  // libpg_query counts positions from 0.
  if (details.message.startsWith('invalid byte sequence')) return new SqlError('22021', details.message)
  return new SqlError('42601', details.message, { position: characterOf(sql, details.cursorPosition) })
}

function sliceBytes(sql: string, from: number, length: number): string {
  const start = characterOf(sql, from) - 1
  const slice = length === 0 ? sql.slice(start) : sql.slice(start, characterOf(sql, from + length) - 1)
  return slice.trim()
}

/** Converts a byte offset, from 0, into a character position, from 1. */
export function characterOf(sql: string, byte: number): number {
  let bytes = 0
  let characters = 0
  for (const character of sql) {
    if (bytes >= byte) break
    const code = character.codePointAt(0)!
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
    characters++
  }
  return characters + 1
}
