import type { Node } from 'libpg-query'
import type { Index, Table } from '../catalog/relations.ts'
import type { Analysis, Scope } from '../expressions/analysis.ts'
import { newScope } from '../expressions/analysis.ts'
import { toBoolean } from '../expressions/compile-boolean.ts'
import type { SchemaPlace } from '../expressions/schema-place.ts'
import { type Row, type Run, rowWith } from '../run.ts'
import { columnsIn } from '../serializable/access.ts'
import type { Value } from '../values/value.ts'
import { nodeTitle, quotedName } from './node-title.ts'
import type { UsableIndex } from './unique.ts'

/** A scope with one table. */
export function tableScope(table: Table, alias = table.name, parent: Scope | null = null): Scope {
  const scope = newScope(parent)
  scope.entries.push({
    alias,
    slot: 0,
    table,
    columns: table.columns.map(({ name, type, typmod }, i) => ({
      name,
      type,
      typmod,
      tableOid: table.oid,
      column: i + 1,
    })),
  })
  return scope
}

/** The scope of a schema expression, with the table's columns. */
export function schemaScope(table: Table, place: SchemaPlace): Scope {
  return { ...tableScope(table), place, aggregatesRefused: place.title.many }
}

function columnsOf({ parts, predicate }: Index, table: Table): ReadonlySet<number> {
  const nodes = [
    ...parts.flatMap(({ expression }) => (expression ? [expression] : [])),
    ...(predicate ? [predicate] : []),
  ]
  const names = new Set(nodes.flatMap(columnsIn))
  return new Set([
    ...parts.flatMap(({ column }) => (column >= 0 ? [column] : [])),
    ...table.columns.flatMap(({ name }, i) => (names.has(name) ? [i] : [])),
  ])
}

export function rowOf(run: Run, values: readonly Value[]): Row {
  return rowWith(run, null, [values], [null])
}

export function usableIndexes(analysis: Analysis, table: Table): readonly UsableIndex[] {
  const { backend } = analysis
  return backend.database.catalog.indexesOf(backend, table).map((index) => {
    const scope = tableScope(table)
    const parts = index.parts.map(({ column, expression }) => {
      if (column >= 0)
        return { type: table.columns[column]!.type, of: (row: readonly Value[], _run: Run) => row[column] ?? null }
      const compiled = analysis.expression(expression!, scope)
      return { type: compiled.type, of: (row: readonly Value[], run: Run) => compiled.evaluate(rowOf(run, row)) }
    })
    const predicate = index.predicate
      ? toBoolean(analysis, analysis.expression(index.predicate, scope), 'WHERE', 0)
      : null
    return {
      index,
      columns: columnsOf(index, table),
      types: parts.map((part) => part.type),
      // The titles are only computed for an error message, because not every expression can be
      // printed.
      get titles() {
        return index.parts.map(({ column, expression }) =>
          column >= 0 ? quotedName(table.columns[column]!.name) : nodeTitle(expression as Node),
        )
      },
      values: (row, run) => parts.map((part) => part.of(row, run)),
      covers: (row, run) => predicate === null || predicate.evaluate(rowOf(run, row)) === true,
    }
  })
}
