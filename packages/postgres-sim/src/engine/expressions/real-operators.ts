import { realNames } from '../reference/real-names.ts'
import { type Type, typeByName, types } from '../values/types.ts'
import { canCast } from './coerce.ts'

type Operands = Map<string, (readonly [left: string, right: string])[]>
/** Operand types by operator name. The left type is empty for a prefix operator. */
let operands: Operands | undefined

function readOperands(): Operands {
  const read: Operands = new Map()
  for (const one of realNames().operators) {
    const [left, name, right] = one.split(',') as [string, string, string]
    read.set(name, [...(read.get(name) ?? []), [left, right]])
  }
  return read
}

/**
 * True if real PostgreSQL may have this operator for the types. A missing operator is then
 * unsupported instead of an error.
 */
export function mayExist(name: string, left: Type | null, right: Type): boolean {
  const known = (operands ??= readOperands()).get(name)
  // An operator that is not in the list may exist, because the list only contains operators on
  // simulated types.
  if (!known) return true
  return known.some(([a, b]) => {
    if (left === null || a === '') return left === null && a === '' && fits(right, b)
    const sameElements = a !== b || !a.includes('array') || !left.element || !right.element || left === right
    return fits(left, a) && fits(right, b) && sameElements
  })
}

function fits(given: Type, wanted: string): boolean {
  if (given === types.unknown || wanted === given.name) return true
  if (wanted.startsWith('any')) return fitsAny(given, wanted)
  const type = typeByName(wanted)
  return type !== undefined && canCast(given, type, 'implicit')
}

/**
 * True if a type fits the polymorphic type `wanted`:
 * https://www.postgresql.org/docs/15/extend-type-system.html#EXTEND-TYPES-POLYMORPHIC; range types
 * are not simulated.
 */
function fitsAny({ category, element }: Type, wanted: string): boolean {
  if (wanted.endsWith('nonarray')) return !element
  if (wanted.endsWith('array')) return element !== undefined
  if (wanted.endsWith('range')) return false
  return wanted !== 'anyenum' || category === 'E'
}
