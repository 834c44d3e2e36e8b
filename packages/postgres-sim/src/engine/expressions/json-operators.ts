import { SqlError } from '../sql-error.ts'
import { Decimal } from '../values/decimal.ts'
import { contains, formatJsonb, isObject, type Jsonb, jsonbObject, parseJson } from '../values/jsonb.ts'
import { arrayOf, type Type, types } from '../values/types.ts'
import { JsonbValue, type Value } from '../values/value.ts'
import type { Analysis } from './analysis.ts'
import { coerce } from './coerce.ts'
import type { Expression } from './expression.ts'
import { strict } from './strict.ts'

/** Compiles an operator on JSON: https://www.postgresql.org/docs/15/functions-json.html */
export function jsonOperator(analysis: Analysis, name: string, left: Expression, right: Expression): Expression | null {
  const { type } = left
  if (type !== types.json && type !== types.jsonb) return containedBy(analysis, name, left, right)
  if (name === '->' || name === '->>') return member(analysis, name, left, right)
  if (name === '#>' || name === '#>>') return atPath(analysis, name, left, right)
  if (type !== types.jsonb) return null
  const as = (wanted: Type) => coerce(analysis, right, wanted, 'implicit')
  const json = (value: Value) => (value as JsonbValue).json
  switch (name) {
    case '@>': {
      const part = as(types.jsonb)
      return part && strict(types.bool, left, part, (a, b) => contains(json(a), json(b)))
    }
    case '<@': {
      const whole = as(types.jsonb)
      return whole && strict(types.bool, left, whole, (a, b) => contains(json(b), json(a)))
    }
    case '||': {
      const other = as(types.jsonb)
      return other && strict(types.jsonb, left, other, (a, b) => new JsonbValue(joined(json(a), json(b))))
    }
    case '?': {
      const key = as(types.text)
      return key && strict(types.bool, left, key, (a, b) => hasKey(json(a), b as string))
    }
    case '?|':
    case '?&': {
      const keys = as(arrayOf(types.text)!)
      const every = name === '?&'
      return (
        keys &&
        strict(types.bool, left, keys, (a, b) => {
          const has = (key: Value) => key !== null && hasKey(json(a), key as string)
          return every ? (b as readonly Value[]).every(has) : (b as readonly Value[]).some(has)
        })
      )
    }
    case '-':
      return without(analysis, left, right)
    default:
      return null
  }
}

function containedBy(analysis: Analysis, name: string, left: Expression, right: Expression): Expression | null {
  if (left.type !== types.unknown || right.type !== types.jsonb || !['@>', '<@', '||'].includes(name)) return null
  const typed = coerce(analysis, left, types.jsonb, 'implicit')
  return typed && jsonOperator(analysis, name, typed, right)
}

function parsed(value: Value): Jsonb {
  return value instanceof JsonbValue ? value.json : parseJson(value as string)
}

function member(analysis: Analysis, name: string, left: Expression, right: Expression): Expression | null {
  const byIndex = right.type === types.int4 || right.type === types.int2
  const key = coerce(analysis, right, byIndex ? types.int4 : types.text, 'implicit')
  const asText = name === '->>'
  if (!key) return null
  return strict(asText ? types.text : left.type, left, key, (a, b) => {
    const found = byIndex ? itemAt(parsed(a), b as number) : keyOf(parsed(a), b as string)
    return found === undefined ? null : shown(found, left.type, asText)
  })
}

function shown(found: Jsonb, type: Type, asText: boolean): Value {
  if (asText) return found === null ? null : typeof found === 'string' ? found : formatJsonb(found)
  return type === types.jsonb ? new JsonbValue(found) : formatJsonb(found)
}

function keyOf(json: Jsonb, key: string): Jsonb | undefined {
  return isObject(json) ? json.get(key) : undefined
}

function itemAt(json: Jsonb, index: number): Jsonb | undefined {
  return Array.isArray(json) ? json.at(index) : undefined
}

function atPath(analysis: Analysis, name: string, left: Expression, right: Expression): Expression | null {
  const path = coerce(analysis, right, arrayOf(types.text)!, 'implicit')
  const asText = name === '#>>'
  return (
    path &&
    strict(asText ? types.text : left.type, left, path, (a, b) => {
      let at: Jsonb | undefined = parsed(a)
      for (const step of b as readonly string[]) {
        at = isObject(at) ? at.get(step) : Array.isArray(at) && /^-?\d+$/.test(step) ? at.at(Number(step)) : undefined
        if (at === undefined) return null
      }
      return shown(at, left.type, asText)
    })
  )
}

function hasKey(json: Jsonb, key: string): boolean {
  if (isObject(json)) return json.has(key)
  return Array.isArray(json) ? json.includes(key) : json === key
}

function joined(a: Jsonb, b: Jsonb): Jsonb {
  if (isObject(a) && isObject(b)) return jsonbObject([...a, ...b])
  const list = (one: Jsonb) => (Array.isArray(one) ? (one as readonly Jsonb[]) : [one])
  return [...list(a), ...list(b)]
}

function without(analysis: Analysis, left: Expression, right: Expression): Expression | null {
  if (right.type === types.int4) {
    return strict(types.jsonb, left, right, (a, b) => {
      const { json } = a as JsonbValue
      if (!Array.isArray(json)) throw new SqlError('22023', 'cannot delete from object using integer index')
      const at = (b as number) < 0 ? json.length + (b as number) : (b as number)
      return new JsonbValue(json.filter((_, i) => i !== at))
    })
  }
  const keys = right.type.element ? right : coerce(analysis, right, types.text, 'implicit')
  return (
    keys &&
    strict(types.jsonb, left, keys, (a, b) => {
      const gone = new Set(Array.isArray(b) ? b : [b])
      const { json } = a as JsonbValue
      if (isObject(json)) return new JsonbValue(jsonbObject([...json].filter(([key]) => !gone.has(key))))
      if (Array.isArray(json)) return new JsonbValue(json.filter((item) => typeof item !== 'string' || !gone.has(item)))
      throw new SqlError('22023', 'cannot delete from scalar')
    })
  )
}

/** Converts any value to JSON, as to_jsonb() and json_build_object() do. */
export function toJson(value: Value, type: Type): Jsonb {
  if (value === null) return null
  if (type.element) return (value as readonly Value[]).map((item) => toJson(item, type.element!))
  if (type === types.json || type === types.jsonb) return parsed(value)
  if (type === types.bool) return value as boolean
  if (type.category === 'N' && type !== types.regclass)
    return value instanceof Decimal ? value : (Decimal.parse(type.write(value)) ?? type.write(value))
  if (type === types.timestamp || type === types.timestamptz)
    return type.write(value).replace(' ', 'T').replace(/\+00$/, '+00:00')
  return type.write(value)
}
