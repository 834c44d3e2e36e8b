import type { CaseExpr, CoalesceExpr, MinMaxExpr, Node } from 'libpg-query'
import { SqlError } from '../sql-error.ts'
import { types } from '../values/types.ts'
import type { Analysis, Scope } from './analysis.ts'
import { coerce } from './coerce.ts'
import { toCommon } from './common-type.ts'
import type { Expression } from './expression.ts'
import { binaryOperator, comparable } from './operators.ts'

export function compileCase(analysis: Analysis, node: CaseExpr, scope: Scope): Expression {
  return analysis.conditional('CASE', () => compileBranches(analysis, node, scope))
}

function compileBranches(analysis: Analysis, node: CaseExpr, scope: Scope): Expression {
  const position = (node.location ?? 0) + 1
  const whens = (node.args ?? []).flatMap((one) => ('CaseWhen' in one ? [one.CaseWhen] : []))
  const subject = node.arg ? analysis.expression(node.arg, scope) : null
  const typedSubject = subject?.type === types.unknown ? coerce(analysis, subject, types.text, 'implicit') : subject
  const tests = whens.map(({ expr }) => {
    const test = analysis.expression(expr!, scope)
    return typedSubject
      ? binaryOperator(analysis, '=', typedSubject, test, position)
      : condition(analysis, test, 'CASE/WHEN', position)
  })
  const answers = whens.map(({ result }) => analysis.expression(result!, scope))
  const nothing: Node = { A_Const: { isnull: true } }
  // As in PostgreSQL, ELSE comes first in the resolution of the type.
  const { type, expressions } = toCommon(
    analysis,
    [analysis.expression(node.defresult ?? nothing, scope), ...answers],
    'CASE',
    position,
  )
  const [otherwise, ...results] = expressions as [Expression, ...Expression[]]
  return {
    type,
    typmod: -1,
    evaluate(row) {
      const at = tests.findIndex((test) => test.evaluate(row) === true)
      return (at < 0 ? otherwise : results[at]!).evaluate(row)
    },
  }
}

function condition(analysis: Analysis, test: Expression, title: string, position: number): Expression {
  const cast = coerce(analysis, test, types.bool, 'implicit')
  if (cast) return cast
  throw new SqlError('42804', `argument of ${title} must be type boolean, not type ${test.type.title}`, { position })
}

export function compileCoalesce(analysis: Analysis, node: CoalesceExpr, scope: Scope): Expression {
  const parts = analysis.conditional('COALESCE', () => (node.args ?? []).map((one) => analysis.expression(one, scope)))
  const { type, expressions } = toCommon(analysis, parts, 'COALESCE', (node.location ?? 0) + 1)
  return {
    type,
    typmod: -1,
    evaluate(row) {
      for (const one of expressions) {
        const value = one.evaluate(row)
        if (value !== null) return value
      }
      return null
    },
  }
}

export function compileMinMax(analysis: Analysis, node: MinMaxExpr, scope: Scope): Expression {
  const parts = (node.args ?? []).map((one) => analysis.expression(one, scope))
  const least = node.op === 'IS_LEAST'
  const { type, expressions } = toCommon(analysis, parts, least ? 'LEAST' : 'GREATEST', (node.location ?? 0) + 1)
  return {
    type,
    typmod: -1,
    evaluate(row) {
      const values = expressions.map((one) => one.evaluate(row)).filter((value) => value !== null)
      if (values.length === 0) return null
      return values.reduce((best, value) =>
        type.compare(value, best) < 0 === least && type.compare(value, best) !== 0 ? value : best,
      )
    },
  }
}

export function compileNullIf(analysis: Analysis, left: Expression, right: Expression, position: number): Expression {
  const equal = binaryOperator(analysis, '=', left, right, position)
  const first = left.open ? comparable(analysis, left, right)![1] : left
  return {
    type: first.type,
    typmod: -1,
    evaluate(row) {
      return equal.evaluate(row) === true ? null : first.evaluate(row)
    },
  }
}
