import type { Decimal } from './decimal.ts'
import { type Interval, spanOf } from './interval.ts'
import { isObject, type Jsonb } from './jsonb.ts'
import type { Type } from './types.ts'
import type { JsonbValue, Value } from './value.ts'

/**
 * Encodes a value so that equal values have equal texts, for unique keys, groups, DISTINCT and
 * UNION.
 */
export function keyOfValue(value: Value, type: Type): string | null {
  if (value === null) return null
  if (type.element) return JSON.stringify((value as readonly Value[]).map((item) => keyOfValue(item, type.element!)))
  switch (type.name) {
    case 'numeric':
      return (value as Decimal).trimmed().toString()
    case 'jsonb':
      return JSON.stringify(jsonbKey((value as JsonbValue).json))
    case 'interval':
      return String(spanOf(value as Interval))
    case 'bpchar':
      return (value as string).replace(/ +$/, '')
    default:
      // String() converts -0 to 0.
      return String(value)
  }
}

/**
 * Encodes a `jsonb` value, whose object keys are already sorted. The kind is included, because the
 * number 1 differs from the string "1".
 */
function jsonbKey(json: Jsonb): unknown {
  if (json === null || typeof json === 'string' || typeof json === 'boolean') return json
  if (Array.isArray(json)) return ['array', ...json.map(jsonbKey)]
  if (isObject(json)) return ['object', ...[...json].map(([key, item]) => [key, jsonbKey(item)])]
  return ['number', (json as Decimal).trimmed().toString()]
}

/** Encodes a row as text. Nulls are equal to each other. */
export function keyOfRow(values: readonly Value[], types: readonly Type[]): string {
  return JSON.stringify(values.map((value, i) => keyOfValue(value, types[i]!)))
}
