import type { Node } from 'libpg-query'
import { realNames } from '../reference/real-names.ts'
import { UnsupportedSql } from '../sql-error.ts'

/** Quotes a name like quote_identifier() of PostgreSQL. */
export function quotedName(name: string): string {
  if (/^[a-z_][a-z0-9_]*$/.test(name) && !realNames().quotedWords.has(name)) return name
  return `"${name.replaceAll('"', '""')}"`
}

/** The text of an index expression as PostgreSQL prints it: columns and functions of columns. */
export function nodeTitle(node: Node): string {
  if ('ColumnRef' in node) {
    return quotedName((node.ColumnRef.fields ?? []).map((one) => ('String' in one ? one.String.sval! : '*')).at(-1)!)
  }
  if ('FuncCall' in node) {
    const name = (node.FuncCall.funcname ?? []).map((one) => ('String' in one ? one.String.sval : '')).at(-1)
    return `${name}(${(node.FuncCall.args ?? []).map(nodeTitle).join(', ')})`
  }
  throw new UnsupportedSql('an index on an expression that is not a function of columns')
}
