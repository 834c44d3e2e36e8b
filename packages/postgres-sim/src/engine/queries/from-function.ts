import type { RangeFunction } from 'libpg-query'
import { type Analysis, newScope, type Scope } from '../expressions/analysis.ts'
import { UnsupportedSql } from '../sql-error.ts'
import { recordset, rowFunction } from './row-functions.ts'
import { addEntry, filled, makeRow, type Source } from './source.ts'

export function compileFunction(analysis: Analysis, node: RangeFunction, scope: Scope): Source {
  const list = node.functions?.[0]
  const call = list && 'List' in list ? list.List.items?.[0] : undefined
  if (node.lateral || node.ordinality || !call || !('FuncCall' in call))
    throw new UnsupportedSql('this function in FROM')
  const around = newScope(scope.parent)
  around.aggregatesRefused = 'functions in FROM'
  const made = node.coldeflist
    ? recordset(analysis, call.FuncCall, node.coldeflist, around)
    : rowFunction(analysis, call.FuncCall, around)
  const alias = node.alias?.aliasname ?? made.name
  const column = node.alias?.colnames?.[0]
  const name =
    column && 'String' in column
      ? column.String.sval!
      : node.alias && made.fields.length === 1 && !made.keepsName
        ? alias
        : made.fields[0]!.name
  const slot = addEntry(
    scope,
    alias,
    made.fields.map((one, i) => (i === 0 ? { ...one, name } : one)),
    null,
  )
  return {
    slots: [slot],
    mayWait: false,
    *rows(run, outer, size) {
      return made.rows(makeRow(run, outer, 0)).map((values) => filled(run, outer, size, slot, values, null))
    },
  }
}
