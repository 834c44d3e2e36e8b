import { realNames } from '../reference/real-names.ts'
import { type Type, typeByName, types } from '../values/types.ts'
import { canCast } from './coerce.ts'

type Operands = Map<string, (readonly [left: string, right: string])[]>
/** By name: the types of their operands, the left one empty for a prefix. */
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
 * Whether PostgreSQL may take an operator on values of these types, or on none that it knows: then
 * it is no error that the simulated one has none.
 */
export function mayExist(name: string, left: Type | null, right: Type): boolean {
  const known = (operands ??= readOperands()).get(name)
  // What is not on the list is an operator on other types alone, or none at all.
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
 * https://www.postgresql.org/docs/15/extend-type-system.html#EXTEND-TYPES-POLYMORPHIC; there are no
 * types of ranges here.
 */
function fitsAny({ category, element }: Type, wanted: string): boolean {
  if (wanted.endsWith('nonarray')) return !element
  if (wanted.endsWith('array')) return element !== undefined
  if (wanted.endsWith('range')) return false
  return wanted !== 'anyenum' || category === 'E'
}
