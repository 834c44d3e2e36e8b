import type { Table } from '../catalog/relations.ts'
import type { Analysis } from '../expressions/analysis.ts'
import { toBoolean } from '../expressions/compile-boolean.ts'
import type { Run } from '../run.ts'
import { SqlError } from '../sql-error.ts'
import type { Value } from '../values/value.ts'
import { isInBound } from './partitions.ts'
import { rowOf, tableScope } from './usable-indexes.ts'

/** Checks the constraints of a new row. @throws SqlError 23502, 23514 */
export type CheckRow = (run: Run, values: readonly Value[]) => void

export function compileConstraints(analysis: Analysis, table: Table): CheckRow {
  const scope = tableScope(table)
  const checks = table.checks.map(({ name, condition }) => ({
    name,
    test: toBoolean(analysis, analysis.expression(condition, scope), 'CHECK', 0),
  }))
  return (run, values) => {
    table.columns.forEach(({ name, notNull }, i) => {
      if (!notNull || values[i] !== null) return
      throw new SqlError(
        '23502',
        `null value in column "${name}" of relation "${table.name}" violates not-null constraint`,
        {
          detail: failingRow(table, values),
          schema: table.schema,
          table: table.name,
          column: name,
        },
      )
    })
    if (checks.length === 0 && !table.bound) return
    const row = rowOf(run, values)
    for (const { name, test } of checks) {
      if (test.evaluate(row) !== false) continue
      throw new SqlError('23514', `new row for relation "${table.name}" violates check constraint "${name}"`, {
        detail: failingRow(table, values),
        schema: table.schema,
        table: table.name,
        constraint: name,
      })
    }
    if (isInBound(run, table, values)) return
    throw new SqlError('23514', `new row for relation "${table.name}" violates partition constraint`, {
      detail: failingRow(table, values),
      schema: table.schema,
      table: table.name,
    })
  }
}

/** The detail of the error, with each value cut off after 64 characters. */
function failingRow(table: Table, values: readonly Value[]): string {
  const shown = values.map((value, i) => {
    if (value === null) return 'null'
    const text = table.columns[i]!.type.write(value)
    return text.length > 64 ? `${text.slice(0, 64)}...` : text
  })
  return `Failing row contains (${shown.join(', ')}).`
}
