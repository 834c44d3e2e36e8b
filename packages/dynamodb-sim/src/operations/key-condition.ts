import { validation } from '../errors.ts'
import type { Comparator, Condition } from '../expressions/condition.ts'
import { beginsWith, compares } from '../expressions/matches.ts'
import type { Operand, Path } from '../expressions/operands.ts'
import { type AttributeValue, typeOf } from '../values/attribute-value.ts'

/** The condition of a KeyConditionExpression on one attribute. */
export interface KeyTest {
  readonly operator: 'EQ' | 'LT' | 'LE' | 'GT' | 'GE' | 'BETWEEN' | 'BEGINS_WITH'
  readonly values: readonly AttributeValue[]
}

const operators = { '=': 'EQ', '<': 'LT', '<=': 'LE', '>': 'GT', '>=': 'GE' } as const
const turned = { '=': '=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const

/**
 * @throws ServiceError unless the expression has one condition for each of one or two attributes
 */
export function keyTests(condition: Condition): ReadonlyMap<string, KeyTest> {
  const tests = new Map<string, KeyTest>()
  collect(condition, tests)
  for (const [, test] of tests) checkTypes(test)
  if (tests.size > 2) throw validation('Conditions can be of length 1 or 2 only')
  return tests
}

export function meets({ operator, values }: KeyTest, value: AttributeValue): boolean {
  const [one, other] = values
  if (operator === 'BEGINS_WITH') return beginsWith(value, one!)
  if (operator === 'BETWEEN') return compares('>=', value, one) && compares('<=', value, other)
  const comparator = Object.entries(operators).find(([, name]) => name === operator)![0] as Comparator
  return compares(comparator, value, one)
}

function collect(condition: Condition, tests: Map<string, KeyTest>): void {
  switch (condition.kind) {
    case 'and':
      collect(condition.left, tests)
      return collect(condition.right, tests)
    case 'or':
    case 'not':
    case 'in':
      throw refusedOperator(condition.kind.toUpperCase())
    case 'between': {
      firstMustBeKey(condition.of, 'BETWEEN')
      return add(tests, 'BETWEEN', [condition.of, condition.low, condition.high])
    }
    case 'function':
      return begins(condition.name, condition.args, tests)
    default:
      compare(condition.operator, condition.left, condition.right, tests)
  }
}

function refusedOperator(name: string) {
  return validation(`Invalid operator used in KeyConditionExpression: ${name}`)
}

function firstMustBeKey(operand: Operand, operator: string): void {
  if (operand.kind !== 'path')
    throw validation(
      `Invalid condition in KeyConditionExpression: ${operator} operator must have the key attribute as its first operand`,
    )
}

function begins(name: string, args: readonly Operand[], tests: Map<string, KeyTest>): void {
  if (name !== 'begins_with') throw refusedOperator(name)
  firstMustBeKey(args[0]!, name)
  add(tests, 'BEGINS_WITH', args)
}

function compare(operator: Comparator, left: Operand, right: Operand, tests: Map<string, KeyTest>): void {
  if (operator === '<>') throw refusedOperator('<>')
  if (left.kind !== 'path' && right.kind === 'path') add(tests, operators[turned[operator]], [right, left])
  else add(tests, operators[operator], [left, right])
}

function add(tests: Map<string, KeyTest>, operator: KeyTest['operator'], operands: readonly Operand[]): void {
  const invalid = (what: string) => validation(`Invalid condition in KeyConditionExpression: ${what}`)
  const paths = operands.filter((operand): operand is Path => operand.kind === 'path')
  if (paths.length > 1) throw invalid('Multiple attribute names used in one condition')
  if (paths.some(({ steps }) => steps.length > 1))
    throw validation('KeyConditionExpressions cannot have conditions on nested attributes')
  if (operands.some(({ kind }) => kind === 'function'))
    throw validation('KeyConditionExpressions cannot contain nested operations')
  const [step] = paths[0]?.steps ?? []
  if (step === undefined) throw invalid('No key attribute specified')
  const { name } = step as { readonly name: string }
  if (tests.has(name)) throw validation('KeyConditionExpressions must only contain one condition per key')
  const values = operands.flatMap((operand) => (operand.kind === 'value' ? [operand.value!] : []))
  tests.set(name, { operator, values })
}

function checkTypes({ operator, values }: KeyTest): void {
  const accepted =
    operator === 'EQ' ? ['S', 'N', 'B', 'SS', 'NS', 'BS'] : operator === 'BEGINS_WITH' ? ['S', 'B'] : ['S', 'N', 'B']
  const type = values.map(typeOf).find((one) => !accepted.includes(one))
  if (type !== undefined)
    throw validation(
      `One or more parameter values were invalid: ComparisonOperator ${operator} is not valid for ${type} AttributeValue type`,
    )
}
