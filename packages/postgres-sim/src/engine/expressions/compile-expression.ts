import type { A_Const, A_Expr, BoolExpr, Node, NullTest } from 'libpg-query'
import type { Row } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { arrayOf, types } from '../values/types.ts'
import type { Value } from '../values/value.ts'
import type { Analysis, Scope } from './analysis.ts'
import { negated } from './arithmetic.ts'
import { complement } from './bit-operators.ts'
import { compileCall, currentMoment } from './calls.ts'
import { coerce } from './coerce.ts'
import { compileColumn } from './columns.ts'
import { toCommon } from './common-type.ts'
import { toBoolean } from './compile-boolean.ts'
import { compileCase, compileCoalesce, compileMinMax, compileNullIf } from './conditionals.ts'
import type { Expression } from './expression.ts'
import { expressionText } from './expression-text.ts'
import { binaryOperator, noOperator } from './operators.ts'
import { anyOf, compileSubquery, inList } from './sets.ts'
import { namedType } from './type-names.ts'

export function compileExpression(analysis: Analysis, node: Node, scope: Scope): Expression {
  if (scope.groups && !scope.insideAggregate) {
    const group = scope.groups.get(expressionText(node))
    if (group) return group
  }
  if ('ColumnRef' in node) return compileColumn(node.ColumnRef, scope)
  if ('A_Const' in node) return constant(node.A_Const)
  if ('ParamRef' in node) {
    const { number, location = 0 } = node.ParamRef
    if (scope.place) throw new SqlError('42P02', `there is no parameter $${number}`, { position: location + 1 })
    return analysis.parameter(number!, location + 1)
  }
  if ('A_Expr' in node) return operation(analysis, node.A_Expr, scope)
  if ('BoolExpr' in node) return logic(analysis, node.BoolExpr, scope)
  if ('NullTest' in node) return nullTest(analysis, node.NullTest, scope)
  if ('FuncCall' in node) return compileCall(analysis, node.FuncCall, scope)
  if ('CaseExpr' in node) return compileCase(analysis, node.CaseExpr, scope)
  if ('CoalesceExpr' in node) return compileCoalesce(analysis, node.CoalesceExpr, scope)
  if ('MinMaxExpr' in node) return compileMinMax(analysis, node.MinMaxExpr, scope)
  if ('SubLink' in node) return compileSubquery(analysis, node.SubLink, scope)
  if ('SQLValueFunction' in node) {
    analysis.callsMutable = true
    return currentMoment(node.SQLValueFunction)
  }
  if ('TypeCast' in node) {
    const { typeName, arg, location } = node.TypeCast
    const { type, typmod } = namedType(analysis.backend, typeName!)
    const operand = analysis.expression(arg!, scope)
    const cast = coerce(analysis, operand, type, 'explicit', typmod)
    if (cast) return cast
    throw new SqlError('42846', `cannot cast type ${operand.type.title} to ${type.title}`, {
      position: (location === undefined || location < 0 ? (typeName!.location ?? 0) : location) + 1,
    })
  }
  if ('BooleanTest' in node) {
    const { arg, booltesttype } = node.BooleanTest
    const operand = asBoolean(analysis, arg!, scope, 'IS TRUE')
    const wanted = booltesttype!.endsWith('TRUE') ? true : booltesttype!.endsWith('FALSE') ? false : null
    const not = booltesttype!.startsWith('IS_NOT')
    return { type: types.bool, typmod: -1, evaluate: (row) => (operand.evaluate(row) === wanted) !== not }
  }
  if ('A_ArrayExpr' in node) {
    const elements = (node.A_ArrayExpr.elements ?? []).map((one) => analysis.expression(one, scope))
    const common = toCommon(analysis, elements, 'ARRAY')
    const type = arrayOf(common.type)
    if (!type) throw new UnsupportedSql(`an array of ${common.type.title}`)
    return { type, typmod: -1, evaluate: (row) => common.expressions.map((one) => one.evaluate(row)) }
  }
  if ('SetToDefault' in node)
    throw new SqlError('42601', 'DEFAULT is not allowed in this context', {
      position: (node.SetToDefault.location ?? 0) + 1,
    })
  throw new UnsupportedSql(`the expression ${Object.keys(node)[0]}`)
}

function constant({ isnull, ival, fval, sval, bsval, boolval, location }: A_Const): Expression {
  if (isnull) return literal(null, location)
  if (sval) return literal(sval.sval ?? '', location)
  if (boolval) return value(types.bool, boolval.boolval ?? false)
  if (ival) return value(types.int4, ival.ival ?? 0)
  if (fval) {
    const text = fval.fval ?? '0'
    if (/^-?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)) return value(types.int8, BigInt(text))
    return value(types.numeric, types.numeric.read(text, 0))
  }
  return value(types.bit, types.bit.read(bsval!.bsval!, 0))
}

function literal(text: string | null, location: number | undefined): Expression {
  const position = (location ?? 0) + 1
  return {
    type: types.unknown,
    typmod: -1,
    open: { kind: 'literal', text, position },
    constant: true,
    evaluate: () => text,
  }
}

function value(type: Expression['type'], given: Value): Expression {
  return { type, typmod: -1, constant: true, evaluate: () => given }
}

function operation(analysis: Analysis, node: A_Expr, scope: Scope): Expression {
  const position = (node.location ?? 0) + 1
  const name = (node.name ?? []).map((one) => ('String' in one ? one.String.sval : '')).at(-1)!
  const left = () => analysis.expression(node.lexpr!, scope)
  const right = () => analysis.expression(node.rexpr!, scope)
  const items = () => ('List' in node.rexpr! ? (node.rexpr.List.items ?? []) : [])
  switch (node.kind) {
    case 'AEXPR_OP': {
      if (!node.lexpr) return prefix(name, right(), position)
      if ('RowExpr' in node.lexpr || (node.rexpr && 'RowExpr' in node.rexpr))
        return rowComparison(analysis, node, name, scope)
      return binaryOperator(analysis, name, left(), right(), position)
    }
    case 'AEXPR_LIKE':
    case 'AEXPR_ILIKE':
      if (node.rexpr && 'FuncCall' in node.rexpr && node.rexpr.FuncCall.funcname?.length === 2)
        throw new UnsupportedSql('LIKE … ESCAPE')
      return binaryOperator(analysis, name, left(), right(), position)
    case 'AEXPR_IN':
      return inList(analysis, name, node.lexpr!, items(), scope, position)
    case 'AEXPR_OP_ANY':
    case 'AEXPR_OP_ALL':
      return anyOf(analysis, name, left(), right(), node.kind === 'AEXPR_OP_ALL', position)
    case 'AEXPR_BETWEEN':
    case 'AEXPR_NOT_BETWEEN': {
      const [low, high] = items()
      const least = binaryOperator(analysis, '>=', left(), analysis.expression(low!, scope), position)
      const most = binaryOperator(analysis, '<=', left(), analysis.expression(high!, scope), position)
      const both = conjunction([least, most])
      return node.kind === 'AEXPR_BETWEEN' ? both : negation(both)
    }
    case 'AEXPR_DISTINCT':
    case 'AEXPR_NOT_DISTINCT': {
      const [a, b] = [left(), right()]
      const equal = binaryOperator(analysis, '=', a, b, position)
      const same = node.kind === 'AEXPR_NOT_DISTINCT'
      const typed = (one: Expression) =>
        one.type === types.unknown ? coerce(analysis, one, types.text, 'implicit')! : one
      const [x, y] = [
        a.open?.kind === 'parameter' ? equalSide(analysis, a, b) : typed(a),
        b.open?.kind === 'parameter' ? equalSide(analysis, b, a) : typed(b),
      ]
      return {
        type: types.bool,
        typmod: -1,
        evaluate(row) {
          const nulls = Number(x.evaluate(row) === null) + Number(y.evaluate(row) === null)
          const isSame = nulls === 0 ? equal.evaluate(row) === true : nulls === 2
          return isSame === same
        },
      }
    }
    case 'AEXPR_NULLIF':
      return compileNullIf(analysis, left(), right(), position)
    default:
      throw new UnsupportedSql(`the operator ${node.kind}`)
  }
}

function equalSide(analysis: Analysis, open: Expression, other: Expression): Expression {
  return coerce(analysis, open, other.type === types.unknown ? types.text : other.type, 'implicit')!
}

function prefix(name: string, operand: Expression, position: number): Expression {
  if (operand.type.category === 'N' || operand.type === types.interval) {
    if (name === '-') return negated(operand)
    if (name === '+') return operand
  }
  const found = name === '~' ? complement(operand) : null
  if (found) return found
  throw noOperator(name, null, operand, position)
}

function rowComparison(analysis: Analysis, node: A_Expr, name: string, scope: Scope): Expression {
  const position = (node.location ?? 0) + 1
  const parts = (one: Node | undefined) => (one && 'RowExpr' in one ? (one.RowExpr.args ?? []) : null)
  const [left, right] = [parts(node.lexpr), parts(node.rexpr)]
  if (!left || !right || (name !== '=' && name !== '<>')) throw new UnsupportedSql(`the comparison of rows by ${name}`)
  if (left.length !== right.length)
    throw new SqlError('42601', 'unequal number of entries in row expressions', { position })
  const equal = left.map((one, i) =>
    binaryOperator(analysis, '=', analysis.expression(one, scope), analysis.expression(right[i]!, scope), position),
  )
  return name === '=' ? conjunction(equal) : negation(conjunction(equal))
}

function logic(analysis: Analysis, node: BoolExpr, scope: Scope): Expression {
  const title = node.boolop === 'AND_EXPR' ? 'AND' : node.boolop === 'OR_EXPR' ? 'OR' : 'NOT'
  const parts = (node.args ?? []).map((one) => asBoolean(analysis, one, scope, title))
  if (title === 'NOT') return negation(parts[0]!)
  return title === 'AND' ? conjunction(parts) : disjunction(parts)
}

function conjunction(parts: readonly Expression[]): Expression {
  return {
    type: types.bool,
    typmod: -1,
    evaluate(row) {
      let result: Value = true
      for (const part of parts) {
        const one = part.evaluate(row)
        if (one === false) return false
        if (one === null) result = null
      }
      return result
    },
  }
}

function disjunction(parts: readonly Expression[]): Expression {
  return {
    type: types.bool,
    typmod: -1,
    evaluate(row) {
      let result: Value = false
      for (const part of parts) {
        const one = part.evaluate(row)
        if (one === true) return true
        if (one === null) result = null
      }
      return result
    },
  }
}

function negation(part: Expression): Expression {
  return {
    type: types.bool,
    typmod: -1,
    evaluate(row: Row) {
      const one = part.evaluate(row)
      return one === null ? null : !one
    },
  }
}

/**
 * Compiles a boolean. `title` names the clause or operator that needs a boolean, for error
 * messages.
 */
function asBoolean(analysis: Analysis, node: Node, scope: Scope, title: string): Expression {
  return toBoolean(analysis, analysis.expression(node, scope), title, locationOf(node))
}

/** The byte offset, from 0, of the start of a node. */
export function locationOf(node: Node): number {
  const body = Object.values(node)[0] as { location?: number; arg?: Node; lexpr?: Node; args?: Node[] }
  const inner = body.lexpr ?? ('TypeCast' in node ? body.arg : undefined)
  const own = body.location ?? 0
  return inner ? Math.min(locationOf(inner), own < 0 ? Infinity : own) : Math.max(own, 0)
}

function nullTest(analysis: Analysis, { arg, nulltesttype }: NullTest, scope: Scope): Expression {
  const operand = analysis.expression(arg!, scope)
  const typed = analysis.anyType(operand)
  const wanted = nulltesttype === 'IS_NULL'
  return { type: types.bool, typmod: -1, evaluate: (row) => (typed.evaluate(row) === null) === wanted }
}
