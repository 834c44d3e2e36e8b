import { validation } from '../errors.ts'
import { printed } from '../values/attribute-value.ts'
import type { Constraints, Shape, Structure } from './shape.ts'

/** Maximum number of violated constraints that the service reports. */
const mostReported = 10

/** @throws ServiceError ValidationException that lists the violated constraints */
export function checkConstraints(structure: Structure, members: Readonly<Record<string, unknown>>): void {
  const problems = [...ofMembers(structure, members, '')].slice(0, mostReported)
  if (problems.length === 0) return
  const plural = problems.length > 1 ? 's' : ''
  throw validation(`${problems.length} validation error${plural} detected: ${problems.join('; ')}`)
}

function* ofMembers(
  { members: shapes }: Structure,
  members: Readonly<Record<string, unknown>>,
  parent: string,
): Generator<string> {
  for (const [member, shape] of Object.entries(shapes))
    yield* ofValue(shape, members[member], `${parent}${member[0]!.toLowerCase()}${member.slice(1)}`)
}

function* ofValue(shape: Shape, value: unknown, at: string): Generator<string> {
  for (const violated of violations(shape, value)) {
    const text = printed(value)
    const quoted = text === 'null' ? text : `'${text}'`
    yield `Value ${quoted} at '${at}' failed to satisfy constraint: ${violated}`
  }
  if (value === undefined || value === null) return
  if (shape.kind === 'list')
    for (const [index, member] of (value as unknown[]).entries())
      yield* ofValue(shape.of, member, `${at}.${index + 1}.member`)
  if (shape.kind === 'map')
    for (const [name, member] of Object.entries(value)) yield* ofValue(shape.of, member, `${at}.${name}.member`)
  if (shape.kind === 'structure') yield* ofMembers(shape, value as Record<string, unknown>, `${at}.`)
}

function* violations(constraints: Constraints, value: unknown): Generator<string> {
  if (value === undefined || value === null) {
    if (constraints.notNull) yield 'Member must not be null'
    return
  }
  const { oneOf, least, most, keys, values } = constraints
  if (oneOf !== undefined && !oneOf.includes(value as string))
    yield `Member must satisfy enum value set: [${oneOf.join(', ')}]`
  yield* ofText(constraints, value)
  if (least !== undefined && (value as number) < least) yield `Member must have value greater than or equal to ${least}`
  if (most !== undefined && (value as number) > most) yield `Member must have value less than or equal to ${most}`
  // Each name or list that violates the constraints yields one message.
  if (keys !== undefined)
    for (const key of Object.keys(value))
      if (isRefused(keys, key)) yield `Map keys must satisfy constraint: [${allOf(keys)}]`
  if (values !== undefined)
    for (const member of Object.values(value))
      if (isRefused(values, member)) yield `Map value must satisfy constraint: [${allOf(values)}]`
}

function isRefused(constraints: Constraints, value: unknown): boolean {
  return [...ofText(constraints, value)].length > 0
}

function* ofText({ pattern, shortest, longest }: Constraints, value: unknown): Generator<string> {
  if (pattern !== undefined && !new RegExp(`^${pattern}$`).test(value as string)) yield patternText(pattern)
  const length = lengthOf(value)
  if (shortest !== undefined && length < shortest) yield shortestText(shortest)
  if (longest !== undefined && length > longest) yield longestText(longest)
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length
  return typeof value === 'object' ? Object.keys(value!).length : 0
}

const patternText = (pattern: string) => `Member must satisfy regular expression pattern: ${pattern}`
const shortestText = (length: number) => `Member must have length greater than or equal to ${length}`
const longestText = (length: number) => `Member must have length less than or equal to ${length}`

/** All constraints on the names or lists of a map, in the service's order. */
function allOf({ pattern, shortest, longest }: Constraints): string {
  return [
    ...(longest === undefined ? [] : [longestText(longest)]),
    ...(shortest === undefined ? [] : [shortestText(shortest)]),
    ...(pattern === undefined ? [] : [patternText(pattern)]),
  ].join(', ')
}
