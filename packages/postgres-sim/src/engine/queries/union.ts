import type { Node, SelectStmt } from 'libpg-query'
import { type Analysis, newScope, type Plan, type Scope } from '../expressions/analysis.ts'
import { coerce } from '../expressions/coerce.ts'
import { commonType } from '../expressions/common-type.ts'
import type { Expression } from '../expressions/expression.ts'
import { emptyRow } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { keyOfRow } from '../values/keys.ts'
import type { Type } from '../values/types.ts'
import type { Value } from '../values/value.ts'
import { compileLimit, limitsOf } from './limit.ts'
import { compareKeys } from './order.ts'

/** Compiles UNION [ALL], INTERSECT and EXCEPT. */
export function compileUnion(analysis: Analysis, select: SelectStmt, scope: Scope): Plan {
  const name = select.op!.replace('SETOP_', '')
  if (select.lockingClause?.length) throw new SqlError('0A000', `FOR UPDATE is not allowed with UNION/INTERSECT/EXCEPT`)
  if (select.all && name !== 'UNION') throw new UnsupportedSql(`${name} ALL`)
  const left = analysis.query(select.larg!, newScope(scope), true)
  const right = analysis.query(select.rarg!, newScope(scope), true)
  if (left.fields.length !== right.fields.length) {
    throw new SqlError('42601', `each ${name} query must have the same number of columns`)
  }
  const shape = ({ fields }: Plan, i: number): Expression => ({
    type: fields[i]!.type,
    typmod: -1,
    evaluate: (row) => row.slots[0]![i] ?? null,
  })
  const fields = left.fields.map((field, i) => ({
    ...field,
    typmod: -1,
    tableOid: 0,
    column: 0,
    type: commonType([shape(left, i), shape(right, i)], name, (right.places?.[i] ?? -1) + 1 || undefined),
  }))
  for (const [i, { type }] of fields.entries()) {
    left.settle?.(i, type)
    right.settle?.(i, type)
  }
  const converts = [left, right].map((plan) =>
    fields.map((field, i) => coerce(analysis, shape(plan, i), field.type, 'implicit')!),
  )
  const order = (select.sortClause ?? []).map((one) => sortKey(one, fields))
  const limit = compileLimit(analysis, select, scope)
  return {
    fields,
    ...(left.places && { places: left.places }),
    mayWait: left.mayWait || right.mayWait,
    *rows(run, outer) {
      const around = emptyRow(run, outer)
      const lists: Value[][][] = []
      for (const [i, plan] of [left, right].entries()) {
        const rows = yield* plan.rows(run, around)
        lists.push(
          rows.map((values) => converts[i]!.map((one) => one.evaluate({ ...emptyRow(run, null), slots: [values] }))),
        )
      }
      const rows = combined(
        name,
        select.all ?? false,
        lists[0]!,
        lists[1]!,
        fields.map((one) => one.type),
      )
      if (order.length > 0)
        rows.sort((a, b) =>
          compareKeys(
            order.map(({ at }) => a[at]!),
            order.map(({ at }) => b[at]!),
            order,
          ),
        )
      const { offset, count } = yield* limitsOf(run, limit)
      return rows.slice(offset, offset + count)
    },
  }
}

function sortKey(node: Node, fields: Plan['fields']) {
  if (!('SortBy' in node)) throw new UnsupportedSql('this form of ORDER BY')
  const { node: key, sortby_dir, sortby_nulls } = node.SortBy
  const name =
    key && 'ColumnRef' in key
      ? key.ColumnRef.fields?.map((one) => ('String' in one ? one.String.sval : ''))[0]
      : undefined
  const at = key && 'A_Const' in key ? (key.A_Const.ival?.ival ?? 0) - 1 : fields.findIndex((one) => one.name === name)
  if (at < 0 || !fields[at]) throw new UnsupportedSql('ORDER BY an expression of a UNION')
  const descending = sortby_dir === 'SORTBY_DESC'
  const nullsFirst = sortby_nulls === 'SORTBY_NULLS_DEFAULT' ? descending : sortby_nulls === 'SORTBY_NULLS_FIRST'
  return { at, descending, nullsFirst, clause: { type: fields[at].type, typmod: -1, parts: [], evaluate: () => null } }
}

function combined(name: string, all: boolean, left: Value[][], right: Value[][], types: readonly Type[]): Value[][] {
  const text = (row: readonly Value[]) => keyOfRow(row, types)
  if (name === 'UNION' && all) return [...left, ...right]
  const others = new Set(right.map(text))
  const candidates =
    name === 'UNION' ? [...left, ...right] : left.filter((row) => others.has(text(row)) === (name === 'INTERSECT'))
  const seen = new Set<string>()
  return candidates.filter((row) => {
    const key = text(row)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
