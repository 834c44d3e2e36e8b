import type { Node } from 'libpg-query'
import type { Column, Table } from '../catalog/relations.ts'
import { type Analysis, newScope, type Scope } from '../expressions/analysis.ts'
import { coerce } from '../expressions/coerce.ts'
import { locationOf } from '../expressions/compile-expression.ts'
import type { Clause, Expression } from '../expressions/expression.ts'
import { rowOf, tableScope } from '../rows/usable-indexes.ts'
import type { Row, Run } from '../run.ts'
import { SqlError } from '../sql-error.ts'
import { types } from '../values/types.ts'
import type { Value } from '../values/value.ts'

export function columnAt(table: Table, name: string, location: number | undefined): number {
  const at = table.columns.findIndex((one) => one.name === name)
  if (at >= 0) return at
  throw new SqlError('42703', `column "${name}" of relation "${table.name}" does not exist`, {
    position: (location ?? 0) + 1,
  })
}

/** Converts a value to the type of its target column. */
export function assigned(analysis: Analysis, expression: Expression, column: Column, location: number): Expression {
  const cast = coerce(analysis, expression, column.type, 'assignment', column.typmod)
  if (cast) return cast
  throw new SqlError(
    '42804',
    `column "${column.name}" is of type ${column.type.title} but expression is of type ${expression.type.title}`,
    {
      hint: 'You will need to rewrite or cast the expression.',
      ...(location >= 0 && { position: location + 1 }),
    },
  )
}

export function assignedNode(analysis: Analysis, node: Node, column: Column, scope: Scope): Clause {
  if ('SetToDefault' in node) return fallbackOf(analysis, column)
  if (column.generated || column.identity === 'always') throw refusedValue(column, column.generated !== null)
  return analysis.clause(node, scope, (one) => assigned(analysis, one, column, locationOf(node)))
}

function refusedValue(column: Column, generated: boolean): SqlError {
  const detail = generated
    ? `Column "${column.name}" is a generated column.`
    : `Column "${column.name}" is an identity column defined as GENERATED ALWAYS.`
  return new SqlError('428C9', `column "${column.name}" can only be updated to DEFAULT`, { detail })
}

/** Compiles the default value of a column. */
export function fallbackOf(analysis: Analysis, column: Column): Clause {
  const { sequence, fallback, type, typmod } = column
  const without = { type, typmod, parts: [] }
  if (sequence) {
    return {
      ...without,
      evaluate(row) {
        const value = row.run.backend.sequences.next(sequence.key)
        return type === types.int8 ? value : Number(value)
      },
    }
  }
  if (!fallback) return { ...without, evaluate: () => null }
  return analysis.clause(fallback, newScope(null), (one) => assigned(analysis, one, column, 0))
}

/** Compiles the generated columns. The result computes them for a row. */
export function compileGenerated(analysis: Analysis, table: Table): (run: Run, values: Value[]) => void {
  const scope = tableScope(table)
  const generated = table.columns.flatMap((column, at) =>
    column.generated
      ? [{ at, expression: assigned(analysis, analysis.expression(column.generated, scope), column, 0) }]
      : [],
  )
  return (run, values) => {
    if (generated.length === 0) return
    const row: Row = rowOf(run, values)
    for (const { at, expression } of generated) values[at] = expression.evaluate(row)
  }
}
