import { type AttributeValue, type Item, typeOf } from '../values/attribute-value.ts'
import { bytesOf, equal, order } from '../values/compare.ts'
import type { Comparator, Condition } from './condition.ts'
import type { FunctionCall, Operand } from './operands.ts'
import { valueAt, wayOf } from './paths.ts'

/**
 * Called with each behavior that was never compared with an independent implementation: see
 * `TablesHost.unjudged`.
 */
export type Unjudged = (what: string) => void

/** True if the item meets the condition. A missing item is `{}`. */
export function matches(condition: Condition, item: Item, unjudged: Unjudged): boolean {
  const valueIn = (operand: Operand) => operandValue(operand, item, unjudged)
  switch (condition.kind) {
    case 'and':
      return matches(condition.left, item, unjudged) && matches(condition.right, item, unjudged)
    case 'or':
      return matches(condition.left, item, unjudged) || matches(condition.right, item, unjudged)
    case 'not':
      return !matches(condition.of, item, unjudged)
    case 'compare':
      return comparesOperands(condition.operator, valueIn(condition.left), valueIn(condition.right), unjudged)
    case 'between': {
      const of = valueIn(condition.of)
      return (
        comparesOperands('>=', of, valueIn(condition.low), unjudged) &&
        comparesOperands('<=', of, valueIn(condition.high), unjudged)
      )
    }
    case 'in': {
      const of = valueIn(condition.of)
      const options = condition.options.map(valueIn)
      if (options.includes(undefined)) unjudged('IN with a missing attribute as an option')
      return options.some((option) => compares('=', of, option))
    }
    default:
      return holds(condition, condition.args.map(valueIn))
  }
}

function comparesOperands(
  operator: Comparator,
  left: AttributeValue | undefined,
  right: AttributeValue | undefined,
  unjudged: Unjudged,
): boolean {
  // According to the developer guide, the condition is not met if one attribute is missing. The
  // guide does not describe two missing attributes.
  if (left === undefined && right === undefined) unjudged('comparison of two attributes that are both missing')
  return compares(operator, left, right)
}

/** Compares two values. A missing attribute is not equal to any value and has no order. */
export function compares(
  operator: Comparator,
  left: AttributeValue | undefined,
  right: AttributeValue | undefined,
): boolean {
  const same = left !== undefined && right !== undefined && equal(left, right)
  if (operator === '=') return same
  if (operator === '<>') return !same
  const difference = left === undefined || right === undefined ? null : order(left, right)
  if (difference === null) return false
  if (operator === '<') return difference < 0
  if (operator === '<=') return difference <= 0
  return operator === '>' ? difference > 0 : difference >= 0
}

function holds({ name }: FunctionCall, [value, other]: readonly (AttributeValue | undefined)[]): boolean {
  if (name === 'attribute_exists') return value !== undefined
  if (name === 'attribute_not_exists') return value === undefined
  if (value === undefined || other === undefined) return false
  if (name === 'attribute_type') return typeOf(value) === other.S
  return name === 'begins_with' ? beginsWith(value, other) : contains(value, other)
}

export function beginsWith(value: AttributeValue, start: AttributeValue): boolean {
  if (value.S !== undefined && start.S !== undefined) return value.S.startsWith(start.S)
  if (value.B === undefined || start.B === undefined) return false
  const bytes = bytesOf(start.B)
  return bytesOf(value.B).subarray(0, bytes.length).equals(bytes)
}

function contains(value: AttributeValue, part: AttributeValue): boolean {
  if (value.L !== undefined) return value.L.some((member) => equal(member, part))
  if (part.S !== undefined) return value.S?.includes(part.S) ?? value.SS?.includes(part.S) ?? false
  if (part.N !== undefined) return value.NS?.includes(part.N) ?? false
  if (part.B === undefined) return false
  return value.B === undefined ? (value.BS?.includes(part.B) ?? false) : bytesOf(value.B).includes(bytesOf(part.B))
}

function operandValue(operand: Operand, item: Item, unjudged: Unjudged): AttributeValue | undefined {
  if (operand.kind === 'value') return operand.value
  if (operand.kind === 'path') return valueAt(wayOf(operand), item)
  const value = operandValue(operand.args[0]!, item, unjudged)
  const size = value === undefined ? undefined : sizeOf(value, unjudged)
  return size === undefined ? undefined : { N: String(size) }
}

/**
 * `size`: the bytes of strings and binaries, or the number of members of sets, lists and maps;
 * undefined for other types.
 */
function sizeOf(value: AttributeValue, unjudged: Unjudged): number | undefined {
  if (value.S === '' || value.B === '') unjudged('size of an empty string or binary')
  if (value.S !== undefined) {
    // The developer guide defines the size of a string as its "length", without a unit.
    if (/[^\0-\x7f]/.test(value.S)) unjudged('size of a string outside of ASCII')
    return Buffer.byteLength(value.S)
  }
  if (value.B !== undefined) return bytesOf(value.B).length
  if (value.M !== undefined) return Object.keys(value.M).length
  return (value.SS ?? value.NS ?? value.BS ?? value.L)?.length
}
