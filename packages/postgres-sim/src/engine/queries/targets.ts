import type { Node } from 'libpg-query'
import type { Analysis, Scope, ScopeColumn } from '../expressions/analysis.ts'
import { functionName } from '../expressions/calls.ts'
import { coerce } from '../expressions/coerce.ts'
import { columnNames } from '../expressions/columns.ts'
import { locationOf } from '../expressions/compile-expression.ts'
import type { Clause, Expression } from '../expressions/expression.ts'
import type { Row } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { type Type, types } from '../values/types.ts'

export interface Target {
  readonly field: ScopeColumn
  readonly clause: Clause
  /** The expression; null for a column that `*` expands to. */
  readonly node: Node | null
  readonly location: number
}

/**
 * Compiles the output columns of a query or of RETURNING. If `keepsUnknown` is true, the caller
 * resolves untyped columns.
 */
export function compileTargets(
  analysis: Analysis,
  list: readonly Node[],
  scope: Scope,
  keepsUnknown = false,
): Target[] {
  return list.flatMap((one) => {
    if (!('ResTarget' in one)) throw new UnsupportedSql('that target')
    const { val, name } = one.ResTarget
    const star = val && 'ColumnRef' in val ? starOf(val.ColumnRef) : null
    if (star && val && 'ColumnRef' in val) return expand(scope, star.qualifier, (val.ColumnRef.location ?? 0) + 1)
    const clause = analysis.clause(val!, scope, (one) => (keepsUnknown ? one : settled(analysis, one, types.text)))
    const origin = val && 'ColumnRef' in val ? originOf(scope, columnNames(val.ColumnRef)) : null
    const field = {
      name: name ?? titleOf(val!),
      type: clause.type,
      typmod: clause.typmod,
      tableOid: origin?.tableOid ?? 0,
      column: origin?.column ?? 0,
    }
    return [{ field, clause, node: val!, location: locationOf(val!) }]
  })
}

/** Gives an untyped expression this type. */
function settled(analysis: Analysis, expression: Expression, type: Type): Expression {
  return expression.type === types.unknown ? coerce(analysis, expression, type, 'implicit')! : expression
}

export function settledTarget(analysis: Analysis, target: Target, type: Type): Target {
  if (target.clause.type !== types.unknown) return target
  return {
    ...target,
    field: { ...target.field, type },
    clause: { ...settled(analysis, target.clause, type), parts: target.clause.parts },
  }
}

function starOf(node: Parameters<typeof columnNames>[0]): { qualifier: string | null } | null {
  const fields = node.fields ?? []
  const last = fields.at(-1)
  return last && 'A_Star' in last ? { qualifier: columnNames(node).at(-2) ?? null } : null
}

function expand(scope: Scope, qualifier: string | null, position: number): Target[] {
  const entries = scope.entries.filter((one) => qualifier === null || one.alias === qualifier)
  if (entries.length === 0) {
    if (qualifier === null) throw new SqlError('42601', 'SELECT * with no tables specified is not valid', { position })
    throw new SqlError('42P01', `missing FROM-clause entry for table "${qualifier}"`, { position })
  }
  return entries.flatMap((entry) =>
    entry.columns.flatMap((field, i) => {
      if (qualifier === null && entry.merged?.has(field.name)) return []
      if (scope.groups && !scope.groups.has(`column ${entry.slot}.${i}`)) {
        throw new SqlError(
          '42803',
          `column "${entry.alias}.${field.name}" must appear in the GROUP BY clause or be used in an aggregate function`,
          { position },
        )
      }
      const { slot } = entry
      return [
        {
          field,
          node: null,
          location: position - 1,
          clause: {
            type: field.type,
            typmod: field.typmod,
            parts: [],
            evaluate: (row: Row) => row.slots[slot]?.[i] ?? null,
          },
        },
      ]
    }),
  )
}

function originOf(scope: Scope, names: readonly string[]): ScopeColumn | null {
  const name = names.at(-1)!
  const qualifier = names.at(-2)
  for (const entry of scope.entries) {
    if (qualifier !== undefined && entry.alias !== qualifier) continue
    const found = entry.columns.find((one) => one.name === name)
    if (found) return found
  }
  return null
}

/** The default name of an output column. */
function titleOf(node: Node): string {
  return nameAndStrength(node)[0] ?? '?column?'
}

function nameAndStrength(node: Node): [string | null, number] {
  if ('ColumnRef' in node) return [columnNames(node.ColumnRef).at(-1)!, 2]
  if ('FuncCall' in node) return [functionName(node.FuncCall), 2]
  if ('TypeCast' in node) {
    const inner = nameAndStrength(node.TypeCast.arg!)
    if (inner[1] > 1) return inner
    const names = node.TypeCast.typeName?.names ?? []
    const last = names.at(-1)
    return [last && 'String' in last ? last.String.sval! : null, 1]
  }
  if ('CaseExpr' in node) {
    const inner = node.CaseExpr.defresult ? nameAndStrength(node.CaseExpr.defresult) : ([null, 0] as [null, number])
    return inner[1] > 1 ? inner : ['case', 1]
  }
  if ('CoalesceExpr' in node) return ['coalesce', 2]
  if ('MinMaxExpr' in node) return [node.MinMaxExpr.op === 'IS_GREATEST' ? 'greatest' : 'least', 2]
  if ('A_ArrayExpr' in node) return ['array', 2]
  if ('A_Expr' in node && node.A_Expr.kind === 'AEXPR_NULLIF') return ['nullif', 2]
  if ('SQLValueFunction' in node) {
    const word = String(node.SQLValueFunction.op).replace('SVFOP_', '').toLowerCase().replace(/_n$/, '')
    return [word, 2]
  }
  if ('SubLink' in node) {
    if (node.SubLink.subLinkType === 'EXISTS_SUBLINK') return ['exists', 2]
    if (node.SubLink.subLinkType === 'ARRAY_SUBLINK') return ['array', 2]
    const select = node.SubLink.subselect
    if (node.SubLink.subLinkType === 'EXPR_SUBLINK' && select && 'SelectStmt' in select) {
      const target = select.SelectStmt.targetList?.[0]
      if (target && 'ResTarget' in target)
        return target.ResTarget.name ? [target.ResTarget.name, 2] : nameAndStrength(target.ResTarget.val!)
    }
  }
  return [null, 0]
}
