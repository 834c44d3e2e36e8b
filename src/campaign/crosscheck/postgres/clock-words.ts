/**
 * Words of SQL that are no functions, and so cannot be given another meaning on a real server:
 * `CURRENT_TIMESTAMP` and its like are replaced by functions of ours (`run-clock.ts`). The text
 * keeps its length, for errors tell their place in it.
 */
import type { ParsedStatement } from 'postgres-sim'

type Node = ParsedStatement['node']

/** By what the parser calls them: the function, the word. */
const functions: Readonly<Record<string, readonly [name: string, word: string]>> = {
  SVFOP_CURRENT_TIMESTAMP: ['cts', 'current_timestamp'],
  SVFOP_LOCALTIMESTAMP: ['lts', 'localtimestamp'],
  SVFOP_CURRENT_DATE: ['cdt', 'current_date'],
}

/** Words that stand for no time. */
const timeless = /USER|ROLE|CATALOG|SCHEMA/

/** The column that a word names where it has no other name. */
export function nameOfWord(column: string): string {
  return Object.values(functions).find(([name]) => name === column)?.[1] ?? column
}

/** The text with functions in place of its words, or the word that has none. */
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
