/**
 * SQL keywords such as `CURRENT_TIMESTAMP` are not functions, so they cannot be redefined on a real
 * server. They are replaced by functions of the harness (`run-clock.ts`). The SQL text keeps its
 * length, because errors contain positions in the text.
 */
import type { ParsedStatement } from 'postgres-sim'

type Node = ParsedStatement['node']

/** The function and the keyword, by the parser's name for the keyword. */
const functions: Readonly<Record<string, readonly [name: string, word: string]>> = {
  SVFOP_CURRENT_TIMESTAMP: ['cts', 'current_timestamp'],
  SVFOP_LOCALTIMESTAMP: ['lts', 'localtimestamp'],
  SVFOP_CURRENT_DATE: ['cdt', 'current_date'],
}

/** Matches keywords that are not times. */
const timeless = /USER|ROLE|CATALOG|SCHEMA/

/** The default column name that the keyword gives, for the name of its function. */
export function nameOfWord(column: string): string {
  return Object.values(functions).find(([name]) => name === column)?.[1] ?? column
}

/** The text with functions instead of keywords, or the first keyword without a function. */
export function withFunctions(
  sql: string,
  nodes: readonly Node[],
): { readonly sql: string } | { readonly word: string } {
  const bytes = Buffer.from(sql, 'utf8')
  for (const { op = '', location = 0 } of nodes.flatMap(wordsIn)) {
    const found = functions[op]
    if (found === undefined) return { word: op.replace('SVFOP_', '').replace(/_N$/, '(n)') }
    const [name, word] = found
    bytes.write(`${name}()`.padEnd(word.length), location, 'latin1')
  }
  return { sql: bytes.toString('utf8') }
}

interface Word {
  readonly op?: string
  readonly location?: number
}

function wordsIn(node: unknown): Word[] {
  if (Array.isArray(node)) return node.flatMap(wordsIn)
  if (node === null || typeof node !== 'object') return []
  return Object.entries(node).flatMap(([name, value]) => {
    if (name !== 'SQLValueFunction') return wordsIn(value)
    return timeless.test(String((value as Word).op)) ? [] : [value as Word]
  })
}
