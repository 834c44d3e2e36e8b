import type { FuncCall } from 'libpg-query'
import type { Analysis, Scope, WindowUse } from '../expressions/analysis.ts'
import type { Expression } from '../expressions/expression.ts'
import type { Row } from '../run.ts'
import { UnsupportedSql } from '../sql-error.ts'
import { keyOfRow } from '../values/keys.ts'
import { types } from '../values/types.ts'
import type { Value } from '../values/value.ts'

/** The frame options of the default frame, from the first row of the window to the current row. */
const usualFrame = 1058

/**
 * Compiles `row_number() OVER (PARTITION BY …)`. The rows are numbered when all of them are known.
 */
export function compileWindow(analysis: Analysis, node: FuncCall, name: string, scope: Scope): Expression {
  const over = node.over!
  if (name !== 'row_number' || node.args?.length) throw new UnsupportedSql(`the window function ${name}()`)
  if (over.name || over.refname || over.orderClause?.length || (over.frameOptions ?? usualFrame) !== usualFrame)
    throw new UnsupportedSql('a window with more than PARTITION BY')
  const { windows } = scope
  if (!windows) throw new UnsupportedSql('a window function in a grouped query, or outside of the select list,')
  const use: WindowUse = { partition: (over.partitionClause ?? []).map((one) => analysis.expression(one, scope)) }
  windows.push(use)
  return { type: types.int8, typmod: -1, evaluate: (row) => row.waited!.get(use)! }
}

export function numberRows(rows: readonly Row[], windows: readonly WindowUse[]): void {
  for (const use of windows) {
    const counts = new Map<string, bigint>()
    const kinds = use.partition.map(({ type }) => type)
    for (const row of rows) {
      const key = keyOfRow(
        use.partition.map((one) => one.evaluate(row)),
        kinds,
      )
      const count = (counts.get(key) ?? 0n) + 1n
      counts.set(key, count)
      ;(row.waited ??= new Map<object, Value>()).set(use, count)
    }
  }
}
