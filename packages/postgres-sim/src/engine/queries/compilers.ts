import type { Analysis, Compilers, Plan, Scope } from '../expressions/analysis.ts'
import { newScope } from '../expressions/analysis.ts'
import { compileExpression } from '../expressions/compile-expression.ts'
import { UnsupportedSql } from '../sql-error.ts'
import { compileDelete } from './delete.ts'
import { compileInsert } from './insert.ts'
import { compileQuery } from './select.ts'
import { compileUpdate } from './update.ts'

export const compilers: Compilers = {
  expression: compileExpression,
  query: compileQuery,
  statement(analysis: Analysis, node, parent: Scope | null): Plan {
    const scope = newScope(parent)
    if ('SelectStmt' in node) return compileQuery(analysis, node.SelectStmt, scope)
    if ('InsertStmt' in node) return compileInsert(analysis, node.InsertStmt, scope)
    if ('UpdateStmt' in node) return compileUpdate(analysis, node.UpdateStmt, scope)
    if ('DeleteStmt' in node) return compileDelete(analysis, node.DeleteStmt, scope)
    throw new UnsupportedSql(Object.keys(node)[0]!)
  },
}
