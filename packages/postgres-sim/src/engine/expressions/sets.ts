import type { Node, SubLink } from 'libpg-query'
import { type Row, toEnd } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { arrayOf, type Type, types } from '../values/types.ts'
import type { Value } from '../values/value.ts'
import { type Analysis, newScope, type Plan, type Scope } from './analysis.ts'
import { coerce } from './coerce.ts'
import { commonType } from './common-type.ts'
import { type Expression, partValue, type WaitingPart } from './expression.ts'
import { binaryOperator, comparable, noOperator } from './operators.ts'

/** Compiles `a IN (b, c)`. The result is null if no item is equal and an item is null. */
export function inList(
  analysis: Analysis,
  name: string,
  left: Node,
  items: readonly Node[],
  scope: Scope,
  position: number,
): Expression {
  if ('RowExpr' in left) throw new UnsupportedSql('a row in IN (…)')
  const subject = analysis.expression(left, scope)
  const compiled = items.map((one) => analysis.expression(one, scope))
  // All items are converted to one type, like the elements of an array.
  const known = [subject, ...compiled].filter((one) => one.type !== types.unknown)
  const type =
    known.length > 0 && known.every((one) => one.type.category === known[0]!.type.category)
      ? commonType([subject, ...compiled], 'IN')
      : null
  const tests = compiled.map((one) => {
    const typed = type && one.open ? coerce(analysis, one, type, 'implicit')! : one
    return binaryOperator(
      analysis,
      '=',
      subject.open && type ? coerce(analysis, subject, type, 'implicit')! : subject,
      typed,
      position,
    )
  })
  const not = name === '<>'
  return {
    type: types.bool,
    typmod: -1,
    evaluate(row) {
      let result: Value = false
      for (const test of tests) {
        const one = test.evaluate(row)
        if (one === true) return !not
        if (one === null) result = null
      }
      return result === null ? null : not
    },
  }
}

/** Compiles `a = ANY (array)` and `a <> ALL (array)`. */
export function anyOf(
  analysis: Analysis,
  name: string,
  left: Expression,
  right: Expression,
  all: boolean,
  position: number,
): Expression {
  const wanted =
    right.type === types.unknown ? arrayOf(left.type === types.unknown ? types.text : left.type) : right.type
  if (!wanted?.element) {
    throw new SqlError('42809', 'op ANY/ALL (array) requires array on right side', { position })
  }
  let array = coerce(analysis, right, wanted, 'implicit')!
  let item: Value = null
  let itemType = wanted.element
  const typed = comparable(analysis, left, { type: itemType, typmod: -1, evaluate: () => null })
  if (!typed) throw noOperator(name, left, { ...array, type: itemType }, position)
  if (typed[0].category !== itemType.category) throw noOperator(name, left, { ...array, type: itemType }, position)
  if (right.open && typed[0] !== itemType && arrayOf(typed[0])) {
    itemType = typed[0]
    array = coerce(analysis, right, arrayOf(itemType)!, 'implicit')!
  }
  const test = binaryOperator(analysis, name, left, { type: itemType, typmod: -1, evaluate: () => item }, position)
  return {
    type: types.bool,
    typmod: -1,
    evaluate(row) {
      const items = array.evaluate(row)
      if (items === null) return null
      return quantify(items as readonly Value[], all, (one) => {
        item = one
        return test.evaluate(row)
      })
    },
  }
}

function quantify(items: readonly Value[], all: boolean, test: (item: Value) => Value): Value {
  let result: Value = all
  for (const item of items) {
    const one = test(item)
    if (one === !all) return !all
    if (one === null) result = null
  }
  return result
}

/** Compiles a subquery in an expression: EXISTS, IN, ANY, ALL, ARRAY, or a scalar subquery. */
export function compileSubquery(analysis: Analysis, node: SubLink, scope: Scope): Expression {
  if (scope.place) {
    throw new SqlError('0A000', `cannot use subquery in ${scope.place.title.one}`, {
      position: (node.location ?? 0) + 1,
    })
  }
  const select = node.subselect!
  if (!('SelectStmt' in select)) throw new UnsupportedSql(`the subquery ${Object.keys(select)[0]}`)
  const inner = newScope(scope)
  const plan = analysis.query(select.SelectStmt, inner)
  const rows = rowsOf(analysis, plan, inner.usedFromInside)
  if (inner.usedFromInside && node.subLinkType !== 'EXPR_SUBLINK' && node.subLinkType !== 'ARRAY_SUBLINK')
    analysis.joinsRow()
  const single = () => {
    if (plan.fields.length !== 1)
      throw new SqlError('42601', 'subquery must return only one column', { position: (node.location ?? 0) + 1 })
    return plan.fields[0]!
  }
  switch (node.subLinkType) {
    case 'EXISTS_SUBLINK':
      return { type: types.bool, typmod: -1, evaluate: (row) => rows(row).length > 0 }
    case 'EXPR_SUBLINK': {
      const { type, typmod } = single()
      return {
        type,
        typmod,
        evaluate(row) {
          const found = rows(row)
          if (found.length > 1)
            throw new SqlError('21000', 'more than one row returned by a subquery used as an expression')
          return found[0]?.[0] ?? null
        },
      }
    }
    case 'ARRAY_SUBLINK': {
      const type = arrayOf(single().type)
      if (!type) throw new UnsupportedSql(`an array of ${single().type.title}`)
      return { type, typmod: -1, evaluate: (row) => rows(row).map((one) => one[0]!) }
    }
    case 'ANY_SUBLINK':
    case 'ALL_SUBLINK':
      return quantified(analysis, node, scope, plan, rows)
    default:
      throw new UnsupportedSql(`the subquery ${node.subLinkType}`)
  }
}

type Rows = (row: Row) => readonly (readonly Value[])[]

/**
 * An uncorrelated subquery runs once per statement. A subquery that may wait runs before the
 * expression is evaluated.
 */
function rowsOf(analysis: Analysis, plan: Plan, correlated: boolean): Rows {
  if (plan.mayWait) {
    const part: WaitingPart = {
      once: !correlated,
      *run(row) {
        return (yield* plan.rows(row.run, row)) as unknown as Value
      },
    }
    analysis.addPart(part)
    return (row) => partValue(part, row) as unknown as readonly (readonly Value[])[]
  }
  if (correlated) return (row) => toEnd(plan.rows(row.run, row))
  return (row) => {
    const known = row.run.once?.get(plan) as readonly (readonly Value[])[] | undefined
    if (known) return known
    const found = toEnd(plan.rows(row.run, row))
    row.run.once ??= new Map()
    row.run.once.set(plan, found)
    return found
  }
}

function quantified(analysis: Analysis, node: SubLink, scope: Scope, plan: Plan, rows: Rows): Expression {
  const position = (node.location ?? 0) + 1
  const name = node.operName?.length
    ? (node.operName.map((one) => ('String' in one ? one.String.sval : '')).at(-1) ?? '=')
    : '='
  const test = node.testexpr!
  const lefts = 'RowExpr' in test ? (test.RowExpr.args ?? []) : [test]
  if (lefts.length !== plan.fields.length) {
    const many = lefts.length < plan.fields.length ? 'many' : 'few'
    throw new SqlError('42601', `subquery has too ${many} columns`, { position })
  }
  let current: readonly Value[] = []
  const tests = lefts.map((left, i) => {
    const { type, typmod }: { type: Type; typmod: number } = plan.fields[i]!
    return binaryOperator(
      analysis,
      name,
      analysis.expression(left, scope),
      { type, typmod, evaluate: () => current[i]! },
      position,
    )
  })
  const all = node.subLinkType === 'ALL_SUBLINK'
  return {
    type: types.bool,
    typmod: -1,
    evaluate(row) {
      return quantify(rows(row) as unknown as readonly Value[], all, (item) => {
        current = item as unknown as readonly Value[]
        let result: Value = true
        for (const one of tests) {
          const value = one.evaluate(row)
          if (value === false) return false
          if (value === null) result = null
        }
        return result
      })
    },
  }
}
