import { type AttributeType, printed, typeOf } from '../values/attribute-value.ts'
import { order } from '../values/compare.ts'
import type { Comparison, Condition, ReadCondition } from './condition.ts'
import { reservedWord, undefinedPlaceholder } from './name-problems.ts'
import type { FunctionCall, Operand, Path } from './operands.ts'
import { sameWay, wayOf, wayText } from './paths.ts'
import { callsIn, comparisonsOf, operandsOf, partsOf, partsOfAll, pathsIn } from './walk.ts'

const operandCounts: Readonly<Record<string, number>> = {
  attribute_exists: 1,
  attribute_not_exists: 1,
  attribute_type: 2,
  begins_with: 2,
  contains: 2,
  size: 1,
}

const typeNames = ['S', 'N', 'B', 'NULL', 'SS', 'BOOL', 'L', 'BS', 'NS', 'M']

/**
 * The first error of a parsed condition, in the service's order of checks; undefined if it is
 * valid.
 */
export function conditionProblem({ condition, redundant }: ReadCondition): string | undefined {
  const comparisons = [...comparisonsOf(condition)]
  const parts = partsOfAll(comparisons.flatMap(operandsOf))
  if (redundant) return 'The expression has redundant parentheses;'
  const unknown = callsIn(parts).find(({ name }) => !Object.hasOwn(operandCounts, name))
  if (unknown !== undefined) return `Invalid function name; function: ${unknown.name}`
  const misused = misusedCall(comparisons)
  if (misused !== undefined)
    return `The function is not allowed to be used this way in an expression; function: ${misused.name}`
  return reservedWord(pathsIn(parts)) ?? first(comparisons, comparisonProblem)
}

/**
 * The first misused function: `size` used as a condition, or any other function used as a value.
 */
function misusedCall(comparisons: readonly Comparison[]): FunctionCall | undefined {
  for (const comparison of comparisons) {
    const inner = operandsOf(comparison).flatMap((operand) =>
      [...partsOf(operand)].filter((part) => part !== comparison),
    )
    const truth = callsIn(inner).find(({ name }) => name !== 'size')
    if (truth !== undefined) return truth
    if (comparison.kind === 'function' && comparison.name === 'size') return comparison
  }
  return undefined
}

function comparisonProblem(comparison: Comparison): string | undefined {
  const operands = operandsOf(comparison)
  const parts = partsOfAll(operands)
  const calls = callsIn(parts)
  return (
    undefinedPlaceholder(parts) ??
    first(calls, wrongCount) ??
    first(calls, ({ name, args }) => sameOperands(name, args)) ??
    (comparison.kind === 'compare' ? sameOperands(comparison.operator, operands) : undefined) ??
    first(calls, wrongTypes) ??
    unordered(comparison) ??
    (comparison.kind === 'between' ? wrongBounds(comparison.low, comparison.high) : undefined)
  )
}

function wrongCount({ name, args }: FunctionCall): string | undefined {
  if (args.length === operandCounts[name]) return undefined
  return `Incorrect number of operands for operator or function; operator or function: ${name}, number of operands: ${args.length}`
}

function sameOperands(operator: string, operands: readonly Operand[]): string | undefined {
  const [one, other] = operands
  if (operands.length !== 2 || one!.kind !== 'path' || other!.kind !== 'path') return undefined
  if (!sameWay(wayOf(one as Path), wayOf(other as Path))) return undefined
  return (
    'The first operand must be distinct from the remaining operands for this operator or function; ' +
    `operator: ${operator}, first operand: ${wayText(wayOf(one as Path))}`
  )
}

function wrongTypes({ name, args }: FunctionCall): string | undefined {
  const [one, other] = args
  switch (name) {
    case 'attribute_exists':
    case 'attribute_not_exists':
      if (one!.kind === 'path') return undefined
      return `Operator or function requires a document path; operator or function: ${name}`
    case 'begins_with':
      return first(args, (arg) => refusedType(name, arg, (type) => type === 'S' || type === 'B'))
    case 'size':
      return refusedType(name, one!, (type) => !['N', 'BOOL', 'NULL'].includes(type))
    case 'attribute_type':
      return wrongTypeName(other!)
    default:
      return undefined
  }
}

function refusedType(name: string, operand: Operand, accepts: (type: string) => boolean): string | undefined {
  const type = knownType(operand)
  return type === null || accepts(type) ? undefined : incorrectType(name, type)
}

function incorrectType(name: string, type: string): string {
  return `Incorrect operand type for operator or function; operator or function: ${name}, operand type: ${type}`
}

function wrongTypeName(operand: Operand): string | undefined {
  const type = knownType(operand)
  if (type !== 'S') return incorrectType('attribute_type', type ?? '{NS,SS,L,BS,N,M,B,BOOL,NULL,S}')
  const name = operand.kind === 'value' ? operand.value!.S! : ''
  if (typeNames.includes(name)) return undefined
  return `Invalid attribute type name found; type: ${name}, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}`
}

/** The error for an ordering comparison with a constant whose type has no order. */
function unordered(comparison: Comparison): string | undefined {
  if (comparison.kind !== 'between' && comparison.kind !== 'compare') return undefined
  const operator = comparison.kind === 'between' ? 'BETWEEN' : comparison.operator
  if (operator === '=' || operator === '<>') return undefined
  const constants = operandsOf(comparison).filter(({ kind }) => kind === 'value')
  return first(constants, (operand) => refusedType(operator, operand, (type) => ['S', 'N', 'B'].includes(type)))
}

/** The type of an operand if it does not depend on an item; null otherwise. */
function knownType(operand: Operand): AttributeType | null {
  if (operand.kind === 'function') return operand.name === 'size' ? 'N' : 'BOOL'
  return operand.kind === 'value' ? typeOf(operand.value!) : null
}

function wrongBounds(low: Operand, high: Operand): string | undefined {
  if (low.kind !== 'value' || high.kind !== 'value') return undefined
  const bounds = [low, high].map(({ value }) => {
    const type = typeOf(value!)
    return `AttributeValue: {${type}:${printed(value![type])}}`
  })
  const reported = `lower bound operand: ${bounds[0]}, upper bound operand: ${bounds[1]}`
  if (typeOf(low.value!) !== typeOf(high.value!))
    return `The BETWEEN operator requires same data type for lower and upper bounds; ${reported}`
  if ((order(low.value!, high.value!) ?? 0) > 0)
    return `The BETWEEN operator requires upper bound to be greater than or equal to lower bound; ${reported}`
  return undefined
}

export function first<T>(all: Iterable<T>, problemOf: (one: T) => string | undefined): string | undefined {
  for (const one of all) {
    const problem = problemOf(one)
    if (problem !== undefined) return problem
  }
  return undefined
}

/**
 * The first names of all paths of a condition (`heads`), and the first names of paths with more
 * than one step (`nested`).
 */
export function attributesOf(condition: Condition): { readonly heads: Set<string>; readonly nested: Set<string> } {
  const parts = partsOfAll([...comparisonsOf(condition)].flatMap(operandsOf))
  const ways = pathsIn(parts).map(wayOf)
  return {
    heads: new Set(ways.map(([head]) => String(head))),
    nested: new Set(ways.filter(({ length }) => length > 1).map(([head]) => String(head))),
  }
}
