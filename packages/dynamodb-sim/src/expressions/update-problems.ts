import { type AttributeType, typeOf } from '../values/attribute-value.ts'
import { first } from './condition-problems.ts'
import { reservedWord, undefinedName, undefinedValue } from './name-problems.ts'
import type { FunctionCall, Operand } from './operands.ts'
import { clash, wayOf } from './paths.ts'
import type { Action, Assigned, ReadUpdate } from './update.ts'
import { callsIn, partsOfAll, pathsIn, valuesIn } from './walk.ts'

const functions = ['if_not_exists', 'list_append']

/**
 * The first error of a parsed update, in the service's order of checks; undefined if it is valid.
 */
export function updateProblem({ sections, actions }: ReadUpdate): string | undefined {
  // The path of an action is checked before its value.
  const parts = actions.flatMap((action) => [action.path, ...partsOfAll(operandsOf(action))])
  const paths = pathsIn(parts)
  return (
    reservedWord(paths) ??
    first(callsIn(parts), ({ name }) =>
      functions.includes(name) ? undefined : `Invalid function name; function: ${name}`,
    ) ??
    repeated(sections) ??
    undefinedName(paths) ??
    first(valuesIn(parts), ({ token, value }) => (value === undefined ? undefinedValue(token) : undefined)) ??
    pathProblem(actions) ??
    first(actions, setProblem) ??
    first(actions, (action) => (action.kind === 'SET' ? assignedProblem(action.value) : undefined))
  )
}

function operandsOf(action: Action): readonly Operand[] {
  if (action.kind === 'REMOVE') return []
  if (action.kind === 'SET' && action.value.kind === 'sum') return [action.value.left, action.value.right]
  return [action.value as Operand]
}

function repeated(sections: readonly string[]): string | undefined {
  const twice = sections.find((section, at) => sections.indexOf(section) < at)
  return twice === undefined ? undefined : `The "${twice}" section can only be used once in an update expression;`
}

function pathProblem(actions: readonly Action[]): string | undefined {
  const { overlap, conflict } = clash(actions.map(({ path }) => wayOf(path)))
  return overlap ?? conflict ?? undefined
}

const longNames: Partial<Record<AttributeType, string>> = {
  S: 'STRING',
  N: 'NUMBER',
  B: 'BINARY',
  NULL: 'NULL',
  BOOL: 'BOOLEAN',
  L: 'LIST',
  M: 'MAP',
}

/** The error for an operand of a wrong type: ADD accepts numbers and sets, DELETE accepts sets. */
function setProblem(action: Action): string | undefined {
  if (action.kind !== 'ADD' && action.kind !== 'DELETE') return undefined
  const type = typeOf(action.value.value!)
  const name = longNames[type]
  if (name === undefined || (action.kind === 'ADD' && type === 'N')) return undefined
  return `Incorrect operand type for operator or function; operator: ${action.kind}, operand type: ${name}`
}

function assignedProblem(value: Assigned): string | undefined {
  if (value.kind === 'sum')
    return (
      first(callsIn(partsOfAll([value.left, value.right])), callProblem) ??
      first([value.left, value.right], (operand) => wrongType(value.operator, operand, 'N'))
    )
  return first(callsIn(partsOfAll([value])), callProblem)
}

function callProblem({ name, args }: FunctionCall): string | undefined {
  if (args.length !== 2)
    return `Incorrect number of operands for operator or function; operator or function: ${name}, number of operands: ${args.length}`
  if (name === 'list_append') return first(args, (arg) => wrongType(name, arg, 'L'))
  if (args[0]!.kind === 'path') return undefined
  return `Operator or function requires a document path; operator or function: ${name}`
}

function wrongType(name: string, operand: Operand, wanted: AttributeType): string | undefined {
  if (operand.kind !== 'value' || typeOf(operand.value!) === wanted) return undefined
  return `Incorrect operand type for operator or function; operator or function: ${name}, operand type: ${typeOf(operand.value!)}`
}
