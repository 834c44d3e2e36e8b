import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { type Type, types } from '../values/types.ts'
import type { Value } from '../values/value.ts'
import type { Analysis } from './analysis.ts'
import { arithmetic } from './arithmetic.ts'
import { bitOperator } from './bit-operators.ts'
import { coerce } from './coerce.ts'
import type { Expression } from './expression.ts'
import { jsonOperator } from './json-operators.ts'
import { like } from './like.ts'
import { mayExist } from './real-operators.ts'
import { regex } from './regular-expressions.ts'
import { strict } from './strict.ts'
import { timeArithmetic } from './time-arithmetic.ts'

const comparisons: Readonly<Record<string, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}

/**
 * Resolves a binary operator by https://www.postgresql.org/docs/15/typeconv-oper.html, as far as
 * the simulated types need it.
 */
export function binaryOperator(
  analysis: Analysis,
  name: string,
  left: Expression,
  right: Expression,
  position: number,
): Expression {
  const compare = comparisons[name]
  if (compare) return comparison(analysis, name, left, right, position, compare)
  const found =
    jsonOperator(analysis, name, left, right) ??
    bitOperator(analysis, name, left, right) ??
    patternOperator(analysis, name, left, right) ??
    concatenation(analysis, name, left, right) ??
    timeArithmetic(analysis, name, left, right) ??
    arithmetic(analysis, name, left, right)
  if (found) return found
  throw noOperator(name, left, right, position)
}

export function noOperator(name: string, left: Expression | null, right: Expression, position: number): SqlError {
  const operands = left ? `${left.type.title} ${name} ${right.type.title}` : `${name} ${right.type.title}`
  if (mayExist(name, left?.type ?? null, right.type)) throw new UnsupportedSql(`the operator ${operands}`)
  return new SqlError('42883', `operator does not exist: ${operands}`, {
    hint: `No operator matches the given name and argument type${left ? 's' : ''}. You might need to add explicit type casts.`,
    position,
  })
}

/** Converts both operands to the type in which they are compared; null if there is no such type. */
export function comparable(
  analysis: Analysis,
  left: Expression,
  right: Expression,
): [Type, Expression, Expression] | null {
  const type = comparisonType(left.type, right.type)
  if (!type) return null
  const a = coerce(analysis, left, type, 'implicit')
  const b = coerce(analysis, right, type, 'implicit')
  return a && b ? [type, a, b] : null
}

function comparisonType(left: Type, right: Type): Type | null {
  if (left === types.unknown && right === types.unknown) return types.text
  if (left === types.unknown) return operandType(right)
  if (right === types.unknown) return operandType(left)
  if (left === right) return operandType(left)
  const numbers = ['int2', 'int4', 'int8', 'numeric', 'float4', 'float8']
  const [a, b] = [numbers.indexOf(left.name), numbers.indexOf(right.name)]
  if (a >= 0 && b >= 0) {
    if (Math.max(a, b) >= 4) return types.float8
    return a > b ? left : right
  }
  if (left.category === 'S' && right.category === 'S') {
    return left === types.bpchar && right === types.bpchar ? left : types.text
  }
  if (left.category === 'V' && right.category === 'V') return types.varbit
  const stamps = ['date', 'timestamp', 'timestamptz']
  const [c, d] = [stamps.indexOf(left.name), stamps.indexOf(right.name)]
  if (c >= 0 && d >= 0) return c > d ? left : right
  if ([left, right].includes(types.oid) && [left, right].some((one) => ['int2', 'int4', 'int8'].includes(one.name)))
    return types.int8
  if ([left, right].includes(types.regclass) && [left, right].includes(types.oid)) return types.oid
  if ([left, right].includes(types.xid) && [left, right].includes(types.int4)) return types.xid
  return null
}

/** The type whose operators are used: varchar and name use those of text. */
function operandType(type: Type): Type {
  return type === types.varchar || type === types.name ? types.text : type
}

function comparison(
  analysis: Analysis,
  name: string,
  left: Expression,
  right: Expression,
  position: number,
  test: (order: number) => boolean,
): Expression {
  if (isXid(left) || isXid(right)) return xidEquality(analysis, name, left, right, position, test)
  const both = comparable(analysis, left, right)
  const shown = name === '!=' ? '<>' : name
  if (!both || both[0] === types.json) throw noOperator(shown, left, right, position)
  const [type, a, b] = both
  return strict(types.bool, a, b, (x, y) => test(type.compare(x, y)))
}

function isXid({ type }: Expression): boolean {
  return type === types.xid
}

function xidEquality(
  analysis: Analysis,
  name: string,
  left: Expression,
  right: Expression,
  position: number,
  test: (order: number) => boolean,
) {
  const as = (one: Expression) =>
    one.type === types.xid || one.type === types.int4 ? one : coerce(analysis, one, types.xid, 'implicit')
  const [a, b] = [as(left), as(right)]
  if (!a || !b || !['=', '<>', '!='].includes(name)) throw noOperator(name, left, right, position)
  return strict(types.bool, a, b, (x, y) => test((x as number) - (y as number)))
}

function patternOperator(analysis: Analysis, name: string, left: Expression, right: Expression): Expression | null {
  const found = /^(!?)(~~|~)(\*?)$/.exec(name)
  if (!found) return null
  const a = coerce(analysis, left, types.text, 'implicit')
  const b = coerce(analysis, right, types.text, 'implicit')
  if (!a || !b) return null
  const matches = found[2] === '~~' ? like : regex
  const insensitive = found[3] === '*'
  return strict(types.bool, a, b, (x, y) => matches(x as string, y as string, insensitive) !== (found[1] === '!'))
}

function concatenation(analysis: Analysis, name: string, left: Expression, right: Expression): Expression | null {
  if (name !== '||') return null
  if (left.type.element || right.type.element) return arrayConcatenation(analysis, left, right)
  if (left.type === types.bytea || right.type === types.bytea) {
    const [x, y] = [left, right].map((one) => coerce(analysis, one, types.bytea, 'implicit'))
    if (!x || !y) throw new UnsupportedSql('|| of bytea and another type')
    return strict(types.bytea, x, y, (a, b) => (a as string) + (b as string).slice(2))
  }
  const strings = [left.type, right.type].filter((type) => type.category === 'S' || type === types.unknown)
  if (strings.length === 0) return null
  // Other types are converted to text: anynonarray || text.
  const a = coerce(analysis, left, types.text, left.type.category === 'S' ? 'implicit' : 'assignment')
  const b = coerce(analysis, right, types.text, right.type.category === 'S' ? 'implicit' : 'assignment')
  return a && b ? strict(types.text, a, b, (x, y) => (x as string) + (y as string)) : null
}

function arrayConcatenation(analysis: Analysis, left: Expression, right: Expression): Expression | null {
  const type = left.type.element ? left.type : right.type
  const list = (one: Expression): Expression | null => {
    if (one.type.element || one.type === types.unknown) return coerce(analysis, one, type, 'implicit')
    const item = coerce(analysis, one, type.element!, 'implicit')
    return item && { type, typmod: -1, evaluate: (row) => [item.evaluate(row)] }
  }
  const [a, b] = [list(left), list(right)]
  if (!a || !b) return null
  return {
    type,
    typmod: -1,
    evaluate(row) {
      const [x, y] = [a.evaluate(row), b.evaluate(row)]
      if (x === null) return y
      return y === null ? x : [...(x as readonly Value[]), ...(y as readonly Value[])]
    },
  }
}
