import type { FuncCall } from 'libpg-query'
import type { Row } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { Decimal } from '../values/decimal.ts'
import { keyOfValue } from '../values/keys.ts'
import { arrayOf, type Type, types } from '../values/types.ts'
import { JsonbValue, type Value } from '../values/value.ts'
import type { AggregateUse, Analysis, Scope } from './analysis.ts'
import { compute } from './arithmetic.ts'
import { coerce } from './coerce.ts'
import { toBoolean } from './compile-boolean.ts'
import type { Expression } from './expression.ts'
import { expressionText } from './expression-text.ts'
import { toJson } from './json-operators.ts'
import { notUnique, untypedArgument } from './undecided.ts'

interface Aggregate {
  readonly result: Type
  start(): unknown
  step(state: unknown, value: Value): unknown
  finish(state: unknown): Value
}

export const aggregateNames = new Set([
  'count',
  'sum',
  'min',
  'max',
  'avg',
  'bool_and',
  'bool_or',
  'every',
  'array_agg',
  'string_agg',
  'jsonb_agg',
  'json_agg',
])

export function compileAggregate(analysis: Analysis, node: FuncCall, name: string, scope: Scope): Expression {
  const position = (node.location ?? 0) + 1
  if (scope.insideAggregate) throw new SqlError('42803', 'aggregate function calls cannot be nested', { position })
  if (node.agg_order || node.agg_within_group) throw new UnsupportedSql('ORDER BY in an aggregate')
  // PostgreSQL sorts the values for DISTINCT, which is not simulated.
  if (node.agg_distinct && name.endsWith('_agg')) throw new UnsupportedSql(`DISTINCT in ${name}()`)
  if (name === 'string_agg' || name === 'json_agg') throw new UnsupportedSql(`the aggregate ${name}()`)
  const used = new Set<Scope>()
  scope.insideAggregate = used
  const args = (node.args ?? []).map((one) => analysis.expression(one, scope))
  const filter = node.agg_filter
    ? toBoolean(analysis, analysis.expression(node.agg_filter, scope), 'FILTER', position - 1)
    : null
  scope.insideAggregate = null
  const uses = usesOf(scope, used, position)
  const given = args[0] ? typedArgument(analysis, name, args[0], position) : null
  const aggregate = given || node.agg_star ? aggregateOf(name, given) : null
  if (!aggregate || args.length > 1) {
    if (name === 'count' && !node.agg_star && args.length === 0) {
      throw new SqlError('42809', 'count(*) must be used to call a parameterless aggregate function', { position })
    }
    throw new SqlError('42883', `function ${name}(${args.map(({ type }) => type.title).join(', ')}) does not exist`, {
      hint: 'No function matches the given name and argument types. You might need to add explicit type casts.',
      position,
    })
  }
  const use = makeUse(expressionText({ FuncCall: node }), aggregate, given, filter, node.agg_distinct === true)
  let at = uses.findIndex((one) => one.key === use.key)
  if (at < 0) at = uses.push(use) - 1
  return { type: aggregate.result, typmod: -1, evaluate: (row) => row.aggregates[at]! }
}

/** Resolves the type of an untyped argument. */
function typedArgument(analysis: Analysis, name: string, given: Expression, position: number): Expression {
  if (given.type !== types.unknown) return given
  if (name === 'jsonb_agg') throw untypedArgument()
  if (name === 'array_agg' || name === 'sum' || name === 'avg') throw notUnique(name, [given], position)
  if (name === 'count') return analysis.anyType(given)
  return coerce(analysis, given, /^(?:bool_|every$)/.test(name) ? types.bool : types.text, 'implicit')!
}

/**
 * An aggregate belongs to the innermost query whose columns it uses:
 * https://www.postgresql.org/docs/15/sql-expressions.html#SYNTAX-AGGREGATES
 */
function usesOf(scope: Scope, used: ReadonlySet<Scope>, position: number): AggregateUse[] {
  let owner = scope
  while (used.size > 0 && !used.has(owner)) owner = owner.parent!
  if (owner.insideAggregate) throw new SqlError('42803', 'aggregate function calls cannot be nested', { position })
  if (owner.aggregatesRefused !== null)
    throw new SqlError('42803', `aggregate functions are not allowed in ${owner.aggregatesRefused}`, { position })
  if (owner !== scope || !owner.aggregates) throw new UnsupportedSql('an aggregate of a query further out')
  return owner.aggregates
}

function makeUse(
  key: string,
  aggregate: Aggregate,
  given: Expression | null,
  filter: Expression | null,
  distinct: boolean,
): AggregateUse {
  return {
    key,
    start: () => ({ state: aggregate.start(), seen: new Set<string>() }),
    step(before, row: Row) {
      const held = before as { state: unknown; seen: Set<string> }
      if (filter && filter.evaluate(row) !== true) return held
      const value = given ? given.evaluate(row) : true
      if (distinct && value !== null) {
        const text = keyOfValue(value, given!.type)!
        if (held.seen.has(text)) return held
        held.seen.add(text)
      }
      held.state = aggregate.step(held.state, value)
      return held
    },
    finish: (held) => aggregate.finish((held as { state: unknown }).state),
  }
}

function aggregateOf(name: string, given: Expression | null): Aggregate | null {
  if (name === 'count') {
    return {
      result: types.int8,
      start: () => 0n,
      step: (n, value) => (value === null ? n : (n as bigint) + 1n),
      finish: (n) => n as bigint,
    }
  }
  if (!given) return null
  const { type } = given
  switch (name) {
    case 'sum':
      return sum(type)
    case 'avg':
      return average(type)
    case 'min':
    case 'max': {
      if (
        type.category === 'V' ||
        type === types.bool ||
        type === types.uuid ||
        type === types.json ||
        type === types.jsonb ||
        type === types.bytea
      )
        return null
      const sign = name === 'min' ? -1 : 1
      // Equal values can have different texts. PostgreSQL returns the last of the equal values; for
      // char(n), the first.
      const replaces = (order: number) => (type === types.bpchar ? order > 0 : order >= 0)
      const result = type === types.varchar ? types.text : type
      return fold(result, (best, value) => (replaces(type.compare(value, best) * sign) ? value : best))
    }
    case 'bool_and':
    case 'every':
      return type === types.bool ? fold(types.bool, (a, b) => a === true && b === true) : null
    case 'bool_or':
      return type === types.bool ? fold(types.bool, (a, b) => a === true || b === true) : null
    case 'array_agg': {
      const result = arrayOf(type)
      if (!result) throw new UnsupportedSql(`an array of ${type.title}`)
      return collect(result, (items) => items)
    }
    case 'jsonb_agg':
      return collect(types.jsonb, (items) => new JsonbValue(items.map((one) => toJson(one, type))))
    default:
      return null
  }
}

/** An aggregate that ignores nulls. The result is null if all values are null. */
function fold(result: Type, step: (state: Value, value: Value) => Value): Aggregate {
  return {
    result,
    start: () => null,
    step: (state, value) => (value === null ? state : state === null ? value : step(state as Value, value)),
    finish: (state) => state as Value,
  }
}

function collect(result: Type, finish: (items: readonly Value[]) => Value): Aggregate {
  return {
    result,
    start: () => [],
    step: (items, value) => [...(items as Value[]), value],
    finish: (items) => ((items as Value[]).length === 0 ? null : finish(items as Value[])),
  }
}

/** The sum of int8 values is numeric; the sum of smaller integers is int8. */
function sum(type: Type): Aggregate | null {
  switch (type.name) {
    case 'int2':
    case 'int4':
      return {
        ...fold(types.int8, (a, b) => (a as bigint) + BigInt(b as number)),
        step: (a, b) => (b === null ? a : ((a as bigint) ?? 0n) + BigInt(b as number)),
      }
    case 'int8':
      return {
        ...fold(types.numeric, (a) => a),
        step: (a, b) => (b === null ? a : add(a as Decimal | null, new Decimal(b as bigint, 0))),
      }
    case 'numeric':
      return fold(types.numeric, (a, b) => (a as Decimal).plus(b as Decimal))
    case 'float8':
    case 'float4':
    case 'interval':
      if (type === types.interval) throw new UnsupportedSql('sum() of intervals')
      return fold(type, (a, b) => compute('+', type, a, b))
    default:
      return null
  }
}

function add(a: Decimal | null, b: Decimal): Decimal {
  return a === null ? b : a.plus(b)
}

function average(type: Type): Aggregate | null {
  if (type.category !== 'N') return null
  if (type.name.startsWith('float')) throw new UnsupportedSql('avg() of floating-point numbers')
  const decimal = (value: Value) =>
    value instanceof Decimal ? value : new Decimal(BigInt(value as number | bigint), 0)
  return {
    result: types.numeric,
    start: () => ({ sum: new Decimal(0n, 0), count: 0n }),
    step(state, value) {
      const { sum: before, count } = state as { sum: Decimal; count: bigint }
      return value === null ? state : { sum: before.plus(decimal(value)), count: count + 1n }
    },
    finish(state) {
      const { sum: total, count } = state as { sum: Decimal; count: bigint }
      return count === 0n ? null : total.over(new Decimal(count, 0))
    },
  }
}
