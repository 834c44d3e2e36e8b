import type { A_Const, A_Expr, Node } from 'libpg-query'
import type { Table } from '../catalog/relations.ts'
import { expressionText } from '../expressions/expression-text.ts'
import { namedType } from '../expressions/type-names.ts'
import { columnsIn } from '../serializable/access.ts'
import { type Type, types } from '../values/types.ts'

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>='

/** A condition on one table in the form that PostgreSQL's implication proof uses. */
export type Form =
  | { readonly kind: 'and'; readonly of: readonly Form[] }
  | { readonly kind: 'or'; readonly of: readonly Form[] }
  | { readonly kind: 'compare'; readonly column: string; readonly by: Comparison; readonly value: string | bigint }
  | { readonly kind: 'null' | 'not null'; readonly column: string }
  /** A boolean column. */
  | { readonly kind: 'truth'; readonly column: string; readonly value: boolean }
  | { readonly kind: 'always' }
  /** Any other condition. `strictFor`: columns that cannot be null if the condition is true. */
  | {
      readonly kind: 'other'
      readonly text: string
      readonly columns: readonly string[]
      readonly strictFor: readonly string[]
      readonly hasParameter: boolean
    }

const negated: Readonly<Record<Comparison, Comparison>> = {
  '=': '<>',
  '<>': '=',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
}
const swapped: Readonly<Record<Comparison, Comparison>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
}

const integers: ReadonlySet<Type> = new Set([types.int2, types.int4, types.int8])
const texts: ReadonlySet<Type> = new Set([types.text, types.varchar])

export function formOf(node: Node, table: Table): Form {
  return simple(node, table) ?? other(node)
}

function simple(node: Node, table: Table): Form | null {
  if ('BoolExpr' in node) {
    const parts = (node.BoolExpr.args ?? []).map((one) => formOf(one, table))
    if (node.BoolExpr.boolop !== 'NOT_EXPR')
      return { kind: node.BoolExpr.boolop === 'AND_EXPR' ? 'and' : 'or', of: parts }
    return opposite(parts[0]!)
  }
  if ('NullTest' in node) {
    const column = columnOf(node.NullTest.arg!)
    return column === null ? null : { kind: node.NullTest.nulltesttype === 'IS_NULL' ? 'null' : 'not null', column }
  }
  if ('A_Const' in node) return node.A_Const.boolval?.boolval === true ? { kind: 'always' } : null
  if ('A_Expr' in node) return ofOperator(node.A_Expr, table)
  const column = columnOf(node)
  return column === null ? null : { kind: 'truth', column, value: true }
}

function ofOperator({ kind, name, lexpr, rexpr }: A_Expr, table: Table): Form | null {
  const [operator] = name ?? []
  const sign = operator && 'String' in operator ? operator.String.sval! : ''
  const items = rexpr && 'List' in rexpr ? (rexpr.List.items ?? []) : []
  const all = (forms: readonly (Form | null)[], how: 'and' | 'or'): Form | null =>
    forms.some((one) => one === null) ? null : { kind: how, of: forms as readonly Form[] }
  switch (kind) {
    case 'AEXPR_OP':
      return lexpr && rexpr && sign in swapped ? compared(lexpr, sign as Comparison, rexpr, table) : null
    case 'AEXPR_IN':
      return all(
        items.map((one) => compared(lexpr!, sign as Comparison, one, table)),
        sign === '=' ? 'or' : 'and',
      )
    case 'AEXPR_BETWEEN':
      return all([compared(lexpr!, '>=', items[0]!, table), compared(lexpr!, '<=', items[1]!, table)], 'and')
    default:
      return null
  }
}

function compared(left: Node, by: Comparison, right: Node, table: Table): Form | null {
  const name = columnOf(left)
  if (name === null) return columnOf(right) === null ? null : compared(right, swapped[by], left, table)
  const column = table.columns.find((one) => one.name === name)
  const value = column ? constantOf(right, column.type) : null
  if (value === null) return null
  if (typeof value !== 'boolean') return { kind: 'compare', column: name, by, value }
  return by === '=' || by === '<>' ? { kind: 'truth', column: name, value: value === (by === '=') } : null
}

/**
 * The value of a constant; null if the node is not a constant of the column's type, or if equal
 * constants of that type may have different texts.
 */
function constantOf(node: Node, type: Type): string | bigint | boolean | null {
  if ('TypeCast' in node) {
    const { type: named, typmod } = namedType(null, node.TypeCast.typeName!)
    return named === type && typmod < 0 ? constantOf(node.TypeCast.arg!, type) : null
  }
  return 'A_Const' in node ? ofConstant(node.A_Const, type) : null
}

function ofConstant({ sval, ival, boolval, isnull }: A_Const, type: Type): string | bigint | boolean | null {
  if (isnull) return null
  if (integers.has(type)) return ival ? BigInt(ival.ival ?? 0) : null
  if (texts.has(type)) return sval ? (sval.sval ?? '') : null
  return type === types.bool && boolval ? (boolval.boolval ?? false) : null
}

function columnOf(node: Node): string | null {
  if (!('ColumnRef' in node)) return null
  const last = node.ColumnRef.fields?.at(-1)
  return last && 'String' in last ? last.String.sval! : null
}

/** The negation of a condition; null if PostgreSQL does not simplify NOT for it. */
function opposite(form: Form): Form | null {
  switch (form.kind) {
    case 'compare':
      return { ...form, by: negated[form.by] }
    case 'null':
      return { ...form, kind: 'not null' }
    case 'not null':
      return { ...form, kind: 'null' }
    case 'truth':
      return { ...form, value: !form.value }
    case 'and':
    case 'or': {
      const of = form.of.map(opposite)
      if (of.some((one) => one === null)) return null
      return { kind: form.kind === 'and' ? 'or' : 'and', of: of as readonly Form[] }
    }
    default:
      return null
  }
}

function other(node: Node): Form {
  const text = expressionText(node)
  return {
    kind: 'other',
    text,
    columns: columnsIn(node),
    strictFor: strictColumns(node),
    hasParameter: text.includes('"ParamRef"'),
  }
}

/**
 * The columns that make the condition null if they are null: the columns that are operands of an
 * operator.
 */
function strictColumns(node: Node): string[] {
  if (!('A_Expr' in node) || !/^AEXPR_(OP|I?LIKE)$/.test(node.A_Expr.kind!)) return []
  return [node.A_Expr.lexpr, node.A_Expr.rexpr].flatMap((side) => (side ? (columnOf(side) ?? []) : []))
}
