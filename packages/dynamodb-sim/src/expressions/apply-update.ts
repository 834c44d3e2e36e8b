import { validation } from '../errors.ts'
import { type AttributeValue, type Item, typeOf, withMember, without } from '../values/attribute-value.ts'
import { decimalText, negative, parseDecimal, sum } from '../values/decimal.ts'
import { inRange } from '../values/normalised.ts'
import type { Operand } from './operands.ts'
import { stepInto, valueAt, type Way, wayOf } from './paths.ts'
import type { Action, Assigned } from './update.ts'

/** The new value at one path; null to remove the value. */
interface Change {
  readonly way: Way
  readonly value: AttributeValue | null
}

/**
 * The item after the update. Every action sees the item as it was before the update.
 * @throws ServiceError if a path does not exist, or an operand has the wrong type
 */
export function applyUpdate(actions: readonly Action[], item: Item): Item {
  // Assignments are evaluated before all other actions, regardless of their order in the text.
  const assigned = new Map(
    actions.flatMap((action) => (action.kind === 'SET' ? [[action, assignedValue(action.value, item)]] : [])),
  )
  const changes = actions.flatMap((action): Change[] => {
    const way = wayOf(action.path)
    const parent = valueAt(way.slice(0, -1), item)
    if ((typeof way.at(-1) === 'number' ? parent?.L : parent?.M) === undefined)
      throw validation('The document path provided in the update expression is invalid for update')
    if (action.kind === 'REMOVE') return [{ way, value: null }]
    if (action.kind === 'SET') return [{ way, value: assigned.get(action)! }]
    const operand = action.value.value!
    const existing = valueAt(way, item)
    if (existing !== undefined && typeOf(existing) !== typeOf(operand)) throw wrongType()
    if (action.kind === 'ADD') return [{ way, value: added(existing, operand) }]
    return existing === undefined ? [] : [{ way, value: subtracted(existing, operand) }]
  })
  return changed({ M: item }, changes).M!
}

function wrongType() {
  return validation('An operand in the update expression has an incorrect data type')
}

function added(existing: AttributeValue | undefined, operand: AttributeValue): AttributeValue {
  if (operand.N !== undefined) return total(existing?.N ?? '0', operand.N, false)
  const type = typeOf(operand) as 'SS' | 'NS' | 'BS'
  const before = existing?.[type] ?? []
  return { [type]: [...before, ...operand[type]!.filter((member) => !before.includes(member))] }
}

/** Removes the members of `operand` from a set; null if no members are left. */
function subtracted(existing: AttributeValue, operand: AttributeValue): AttributeValue | null {
  const type = typeOf(operand) as 'SS' | 'NS' | 'BS'
  const rest = existing[type]!.filter((member) => !operand[type]!.includes(member))
  return rest.length === 0 ? null : { [type]: rest }
}

function total(left: string, right: string, minus: boolean): AttributeValue {
  const second = parseDecimal(right)!
  return { N: decimalText(inRange(sum(parseDecimal(left)!, minus ? negative(second) : second))) }
}

function assignedValue(assigned: Assigned, item: Item): AttributeValue {
  if (assigned.kind === 'value') return assigned.value!
  if (assigned.kind === 'path') {
    const value = valueAt(wayOf(assigned), item)
    if (value !== undefined) return value
    throw validation('The provided expression refers to an attribute that does not exist in the item')
  }
  if (assigned.kind === 'sum') {
    const [left, right] = [assigned.left, assigned.right].map((operand) => typed('N', operand, item))
    return total(left!, right!, assigned.operator === '-')
  }
  const [first, second] = assigned.args
  if (assigned.name === 'list_append') return { L: [...typed('L', first!, item), ...typed('L', second!, item)] }
  const existing = first!.kind === 'path' ? valueAt(wayOf(first!), item) : undefined
  return existing ?? assignedValue(second!, item)
}

function typed<T extends 'N' | 'L'>(type: T, operand: Operand, item: Item): NonNullable<AttributeValue[T]> {
  const value = assignedValue(operand, item)[type]
  if (value === undefined) throw wrongType()
  return value
}

/**
 * A map or list with the changes applied. Indexes refer to the list before the update. Values
 * beyond the end of the list are appended.
 */
function changed(value: AttributeValue, changes: readonly Change[]): AttributeValue {
  const byStep = new Map<string | number, Change[]>()
  for (const { way, value: to } of changes) {
    const inside = byStep.get(way[0]!)
    if (inside === undefined) byStep.set(way[0]!, [{ way: way.slice(1), value: to }])
    else inside.push({ way: way.slice(1), value: to })
  }
  const after = [...byStep].map(([step, inside]) => [step, stepAfter(value, step, inside)] as const)
  return value.L === undefined
    ? { M: after.reduce((map, [name, to]) => memberAfter(map, String(name), to), value.M!) }
    : { L: listAfter(value.L, new Map(after as [number, AttributeValue | null][])) }
}

function stepAfter(value: AttributeValue, step: string | number, inside: readonly Change[]): AttributeValue | null {
  const here = inside.find(({ way }) => way.length === 0)
  return here === undefined ? changed(stepInto(value, step)!, inside) : here.value
}

function memberAfter(map: Item, name: string, to: AttributeValue | null): Item {
  return to === null ? without(map, name) : withMember(map, name, to)
}

function listAfter(
  list: readonly AttributeValue[],
  after: ReadonlyMap<number, AttributeValue | null>,
): AttributeValue[] {
  const kept = list.flatMap((member, at) => {
    const to = after.get(at)
    return to === null ? [] : [to ?? member]
  })
  const appended = [...after]
    .filter(([at, to]) => at >= list.length && to !== null)
    .sort(([one], [other]) => one - other)
  return [...kept, ...appended.map(([, to]) => to!)]
}
