import type { FuncCall, Node } from 'libpg-query'
import type { Analysis, Scope, ScopeColumn } from '../expressions/analysis.ts'
import { functionName } from '../expressions/calls.ts'
import { coerce } from '../expressions/coerce.ts'
import type { Expression } from '../expressions/expression.ts'
import { namedType } from '../expressions/type-names.ts'
import type { Row } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { Decimal } from '../values/decimal.ts'
import { formatJsonb, isObject, type Jsonb, parseJson } from '../values/jsonb.ts'
import { type Type, types } from '../values/types.ts'
import { JsonbValue, type Value } from '../values/value.ts'

interface RowFunction {
  readonly name: string
  readonly fields: readonly ScopeColumn[]
  /** True if the single column keeps its name although the function has an alias. */
  readonly keepsName: boolean
  rows(row: Row): Value[][]
}

const field = (name: string, type: Type): ScopeColumn => ({ name, type, typmod: -1, tableOid: 0, column: 0 })

/** Compiles a set-returning function in FROM. */
export function rowFunction(analysis: Analysis, node: FuncCall, scope: Scope): RowFunction {
  const name = functionName(node)
  const args = (node.args ?? []).map((one) => analysis.expression(one, scope))
  const [first] = args
  if (name === 'generate_series') return series(analysis, args)
  if (name === 'unnest' && first?.type.element && args.length === 1) {
    return {
      name,
      keepsName: false,
      fields: [field('unnest', first.type.element)],
      rows: (row) => ((first.evaluate(row) ?? []) as readonly Value[]).map((one) => [one]),
    }
  }
  const json =
    first &&
    [
      'jsonb_array_elements',
      'jsonb_array_elements_text',
      'jsonb_each',
      'jsonb_each_text',
      'jsonb_object_keys',
    ].includes(name)
  if (json) return ofJson(name, coerce(analysis, first, types.jsonb, 'implicit')!)
  throw new UnsupportedSql(`the function ${name}() in FROM`)
}

/**
 * Compiles `json_to_recordset(…) AS x (a int, …)`, which returns one row for each object of the
 * array.
 */
export function recordset(analysis: Analysis, node: FuncCall, list: readonly Node[], scope: Scope): RowFunction {
  const name = functionName(node)
  const [first, ...more] = (node.args ?? []).map((one) => analysis.expression(one, scope))
  if (!['json_to_recordset', 'jsonb_to_recordset'].includes(name) || !first || more.length > 0)
    throw new UnsupportedSql(`the function ${name}() with columns in FROM`)
  const argument = coerce(analysis, first, name.startsWith('jsonb') ? types.jsonb : types.json, 'implicit')
  if (!argument) throw new UnsupportedSql(`${name}() of ${first.type.title}`)
  const fields = list.map((one) => {
    const definition = 'ColumnDef' in one ? one.ColumnDef : {}
    const { type, typmod } = namedType(analysis.backend, definition.typeName!)
    if (type === types.json || type.element || typmod !== -1)
      throw new UnsupportedSql(`${name}() with a column of type ${type.title}`)
    return field(definition.colname!, type)
  })
  return {
    name,
    keepsName: true,
    fields,
    rows(row) {
      const value = argument.evaluate(row)
      if (value === null) return []
      const json = value instanceof JsonbValue ? value.json : parseJson(value as string)
      if (!Array.isArray(json) || !json.every(isObject))
        throw new UnsupportedSql(`${name}() of a value that is not an array of objects`)
      const now = row.run.backend.database.host.nowUs()
      return json.map((object) => {
        const members = new Map(object)
        return fields.map(({ name: member, type }): Value => {
          const given = members.get(member) ?? null
          if (given === null) return null
          if (type === types.jsonb) return new JsonbValue(given)
          if (typeof given === 'object' && !(given instanceof Decimal))
            throw new UnsupportedSql(`${name}() with an object for ${type.title}`)
          return type.read(typeof given === 'string' ? given : formatJsonb(given), now)
        })
      })
    },
  }
}

function series(analysis: Analysis, args: readonly Expression[]): RowFunction {
  if (
    args.length < 2 ||
    args.some((one) => one.type !== types.int4 && one.type !== types.int8 && one.type !== types.unknown)
  ) {
    throw new UnsupportedSql('generate_series() of non-integers')
  }
  const type = args.some((one) => one.type === types.int8) ? types.int8 : types.int4
  const typed = args.map((one) => coerce(analysis, one, type, 'implicit')!)
  return {
    name: 'generate_series',
    keepsName: false,
    fields: [field('generate_series', type)],
    rows(row) {
      const given = typed.map((one) => one.evaluate(row))
      if (given.includes(null)) return []
      const [from, to, step] = [...given.map((one) => BigInt(one as number | bigint)), 1n] as [bigint, bigint, bigint]
      if (step === 0n) throw new SqlError('22023', 'step size cannot equal zero')
      const found: Value[][] = []
      for (let at = from; step > 0n ? at <= to : at >= to; at += step)
        found.push([type === types.int8 ? at : Number(at)])
      return found
    },
  }
}

function ofJson(name: string, argument: Expression): RowFunction {
  const asText = name.endsWith('_text')
  const type = asText || name === 'jsonb_object_keys' ? types.text : types.jsonb
  const shown = (json: Jsonb): Value =>
    asText ? (json === null ? null : typeof json === 'string' ? json : formatJsonb(json)) : new JsonbValue(json)
  const each = name.startsWith('jsonb_each')
  const keys = name === 'jsonb_object_keys'
  return {
    name,
    keepsName: !keys,
    fields: each ? [field('key', types.text), field('value', type)] : [field(keys ? name : 'value', type)],
    rows(row) {
      const value = argument.evaluate(row)
      if (value === null) return []
      const { json } = value as JsonbValue
      if (each || keys) {
        if (!isObject(json))
          throw new SqlError('22023', `cannot call ${name} on ${Array.isArray(json) ? 'an array' : 'a scalar'}`)
        return [...json].map(([key, item]) => (keys ? [key] : [key, shown(item)]))
      }
      if (!Array.isArray(json))
        throw new SqlError('22023', `cannot extract elements from ${isObject(json) ? 'an object' : 'a scalar'}`)
      return (json as readonly Jsonb[]).map((item) => [shown(item)])
    },
  }
}
