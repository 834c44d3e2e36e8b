import type { FuncCall, Node, SQLValueFunction } from 'libpg-query'
import { qualified, type UserFunction } from '../catalog/relations.ts'
import type { SqlFunction, WaitingFunction } from '../functions/function.ts'
import { jsonFunctions } from '../functions/json-functions.ts'
import { plainFunctions } from '../functions/plain-functions.ts'
import { sessionFunctions, waitingFunctions } from '../functions/session-functions.ts'
import { walFunctions } from '../functions/wal-functions.ts'
import { compileWindow } from '../queries/windows.ts'
import { realNames } from '../reference/real-names.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { type Type, types } from '../values/types.ts'
import { applyTypmod } from '../values/typmods.ts'
import type { Value } from '../values/value.ts'
import { aggregateNames, compileAggregate } from './aggregates.ts'
import type { Analysis, Scope } from './analysis.ts'
import { canCast, coerce } from './coerce.ts'
import { collectionFunction } from './collections.ts'
import { type Expression, partValue, type WaitingPart } from './expression.ts'
import { extract } from './extract.ts'
import { format } from './format.ts'
import { makeInterval } from './make-interval.ts'
import { untypedArgument } from './undecided.ts'

type Callable = SqlFunction | WaitingFunction

const byName = new Map<string, Callable[]>()
for (const one of [...plainFunctions, ...jsonFunctions, ...sessionFunctions, ...walFunctions, ...waitingFunctions]) {
  byName.set(one.name, [...(byName.get(one.name) ?? []), one])
}

export function functionName(node: FuncCall): string {
  return (node.funcname ?? []).map((one) => ('String' in one ? one.String.sval : '')).at(-1)!
}

export function compileCall(analysis: Analysis, node: FuncCall, scope: Scope): Expression {
  const name = functionName(node)
  const position = (node.location ?? 0) + 1
  if (node.over) return compileWindow(analysis, node, name, scope)
  const schema = node.funcname!.length > 1 ? node.funcname![0]! : undefined
  if (schema && 'String' in schema && schema.String.sval === 'public') {
    const args = (node.args ?? []).map((one) => analysis.expression(one, scope))
    throw unknownFunction(`public.${name}`, args, position)
  }
  if (schema && 'String' in schema && schema.String.sval !== 'pg_catalog') {
    const made = userFunction(analysis, schema.String.sval!, name)
    if (made) return callUser(analysis, node, made, scope, position)
    const args = (node.args ?? []).map((one) => analysis.expression(one, scope))
    throw unknownFunction(`${schema.String.sval}.${name}`, args, position)
  }
  if (aggregateNames.has(name)) return compileAggregate(analysis, node, name, scope)
  if (name === 'make_interval') return makeInterval(analysis, node, scope)
  const args = (node.args ?? []).map((one) => analysis.expression(one, scope))
  if (name === 'extract' || name === 'date_part' || name === 'date_trunc')
    return extract(analysis, name, args, position)
  if (name === 'format') return format(analysis, args)
  if (name === 'concat' || name === 'concat_ws') return concat(analysis, name, args)
  const collection = collectionFunction(analysis, name, args)
  if (collection) return collection
  if (name === 'to_jsonb' && args[0]?.type === types.unknown) throw untypedArgument()
  const candidates = byName.get(name)
  if (!candidates) throw unknownFunction(name, args, position)
  const chosen = choose(candidates, args)
  if (!chosen) throw unknownFunction(name, args, position)
  analysis.callsMutable ||= 'run' in chosen || chosen.mutable === true
  const variadic = 'variadic' in chosen && chosen.variadic === true
  const given = args.map((one, i) => {
    return variadic ? analysis.anyType(one) : coerce(analysis, one, chosen.args[i]!, 'implicit')!
  })
  return 'run' in chosen ? waiting(analysis, chosen, given, scope) : plain(chosen, given)
}

function userFunction({ backend }: Analysis, schema: string, name: string): UserFunction | null {
  const { catalog } = backend.database
  const key = qualified(schema, name)
  if (!catalog.hasSchemaOf(backend, key)) throw new SqlError('3F000', `schema "${schema}" does not exist`)
  return catalog.function(backend, key)
}

function callUser(analysis: Analysis, node: FuncCall, made: UserFunction, scope: Scope, position: number): Expression {
  const args = (node.args ?? []).map((one) => analysis.expression(one, scope))
  const typed = made.args.map(({ type }, i) => (args[i] ? coerce(analysis, args[i], type, 'implicit') : null))
  if (args.length !== made.args.length || typed.includes(null))
    throw unknownFunction(made.title.replace(/\(.*/, ''), args, position)
  if (scope.entries.length > 0) throw new UnsupportedSql('a user-defined function that is called for each row')
  analysis.writes = true
  const chosen: WaitingFunction = {
    name: made.title,
    args: [],
    result: types.void,
    takesNull: true,
    *run(values, run) {
      yield* made.run(run.backend, values)
      return ''
    },
  }
  return waiting(analysis, chosen, typed as Expression[], scope)
}

function plain(chosen: SqlFunction, args: readonly Expression[]): Expression {
  const given = args.map((one) => one.type)
  return {
    type: chosen.result,
    typmod: -1,
    evaluate(row) {
      const values: Value[] = []
      for (const one of args) {
        const value = one.evaluate(row)
        if (value === null && !chosen.takesNull) return null
        values.push(value)
      }
      return chosen.call(values, row.run, given)
    },
  }
}

function waiting(analysis: Analysis, chosen: WaitingFunction, args: readonly Expression[], scope: Scope): Expression {
  if (scope.insideAggregate) throw new UnsupportedSql(`${chosen.name}() in an aggregate`)
  if (analysis.condition !== null) throw new UnsupportedSql(`${chosen.name}() in ${analysis.condition}`)
  const part: WaitingPart = {
    once: false,
    *run(row) {
      const values = args.map((one) => one.evaluate(row))
      return values.includes(null) && !chosen.takesNull ? null : yield* chosen.run(values, row.run)
    },
  }
  analysis.addPart(part)
  return { type: chosen.result, typmod: -1, evaluate: (row) => partValue(part, row) }
}

/**
 * Chooses the candidate with the most exact matches of argument types:
 * https://www.postgresql.org/docs/15/typeconv-func.html
 */
function choose(candidates: readonly Callable[], args: readonly Expression[]): Callable | null {
  let best: Callable | null = null
  let bestScore = -1
  for (const one of candidates) {
    if ('variadic' in one && one.variadic) return one
    if (one.args.length !== args.length) continue
    if (!args.every(({ type }, i) => canCast(type, one.args[i]!, 'implicit'))) continue
    const score = args.reduce((sum, { type }, i) => sum + fitness(type, one.args[i]!), 0)
    if (score > bestScore) [best, bestScore] = [one, score]
  }
  return best
}

function fitness(given: Type, wanted: Type): number {
  if (given === wanted) return 3
  if (given === types.unknown) return wanted === types.text ? 2 : wanted.preferred ? 1 : 0
  return wanted.preferred ? 1 : 0
}

function unknownFunction(name: string, args: readonly Expression[], position: number): SqlError {
  if (!byName.has(name) && realNames().functions.has(name)) throw new UnsupportedSql(`the function ${name}()`)
  return new SqlError('42883', `function ${name}(${args.map(({ type }) => type.title).join(', ')}) does not exist`, {
    hint: 'No function matches the given name and argument types. You might need to add explicit type casts.',
    position,
  })
}

/** Compiles concat() and concat_ws(), which skip nulls and convert all other values to text. */
function concat(analysis: Analysis, name: string, args: readonly Expression[]): Expression {
  analysis.callsMutable = true
  const typed = args.map((one, i) =>
    // The separator of concat_ws() is a text.
    name === 'concat_ws' && i === 0 ? coerce(analysis, one, types.text, 'implicit')! : analysis.anyType(one),
  )
  const texts = (row: Parameters<Expression['evaluate']>[0], from: number) =>
    typed.slice(from).flatMap((one) => {
      const value = one.evaluate(row)
      return value === null ? [] : [one.type === types.bool ? (value ? 't' : 'f') : one.type.write(value)]
    })
  return {
    type: types.text,
    typmod: -1,
    evaluate(row) {
      if (name === 'concat') return texts(row, 0).join('')
      const by = typed[0]!.evaluate(row)
      return by === null ? null : texts(row, 1).join(by as string)
    },
  }
}

/** Compiles CURRENT_TIMESTAMP and similar values. */
export function currentMoment({ op, typmod }: SQLValueFunction): Expression {
  const dateOf = (us: number) => Math.floor(us / 86400e6)
  const make = (type: Type, of: (us: number) => number, precision = -1): Expression => ({
    type,
    typmod: precision,
    evaluate: (row) => applyTypmod(of(row.run.backend.reportTransactionStartUs()), type, precision, true),
  })
  switch (op) {
    case 'SVFOP_CURRENT_TIMESTAMP':
      return make(types.timestamptz, (us) => us)
    case 'SVFOP_CURRENT_TIMESTAMP_N':
      return make(types.timestamptz, (us) => us, typmod ?? 0)
    case 'SVFOP_LOCALTIMESTAMP':
      return make(types.timestamp, (us) => us)
    case 'SVFOP_CURRENT_DATE':
      return make(types.date, dateOf)
    case 'SVFOP_CURRENT_USER':
    case 'SVFOP_USER':
    case 'SVFOP_SESSION_USER':
    case 'SVFOP_CURRENT_ROLE':
      return { type: types.name, typmod: -1, evaluate: (row) => row.run.backend.startup.user }
    default:
      throw new UnsupportedSql(String(op))
  }
}

export function isAggregateCall(node: Node): boolean {
  return 'FuncCall' in node && aggregateNames.has(functionName(node.FuncCall)) && !node.FuncCall.over
}
