import { validation } from '../errors.ts'
import { type Condition, type ReadCondition, readCondition } from '../expressions/condition.ts'
import { conditionProblem } from '../expressions/condition-problems.ts'
import { reservedWord, undefinedName } from '../expressions/name-problems.ts'
import { clash, type Way, wayOf } from '../expressions/paths.ts'
import { Placeholders } from '../expressions/placeholders.ts'
import { readProjection } from '../expressions/projection.ts'
import { type Action, readUpdate } from '../expressions/update.ts'
import { updateProblem } from '../expressions/update-problems.ts'
import type { AttributeValue } from '../values/attribute-value.ts'

/** The members of a request with expressions and placeholders. */
export interface WithExpressions {
  readonly UpdateExpression?: string
  readonly ConditionExpression?: string
  readonly KeyConditionExpression?: string
  readonly FilterExpression?: string
  readonly ProjectionExpression?: string
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>
  readonly ExpressionAttributeValues?: Readonly<Record<string, AttributeValue>>
}

export type ExpressionMember = Exclude<keyof WithExpressions, `ExpressionAttribute${string}`>

export interface Expressions {
  readonly update?: readonly Action[]
  readonly condition?: Condition
  readonly keyCondition?: Condition
  readonly filter?: Condition
  readonly projection?: readonly Way[]
}

/**
 * Refuses placeholders if the request has no expression that could use them. `may` lists the
 * expressions that the operation accepts.
 */
export function checkPlaceholders(request: WithExpressions, may: readonly ExpressionMember[]): void {
  if (request.ExpressionAttributeNames !== undefined && may.every((member) => request[member] === undefined))
    throw validation('ExpressionAttributeNames can only be specified when using expressions')
  const withValues = may.filter((member) => member !== 'ProjectionExpression')
  if (withValues.length === 0 || request.ExpressionAttributeValues === undefined) return
  if (withValues.every((member) => request[member] === undefined))
    throw validation(
      'ExpressionAttributeValues can only be specified when using expressions: ' +
        `${withValues.join(' and ')} ${withValues.length > 1 ? 'are' : 'is'} null`,
    )
}

/** @throws ServiceError ValidationException of the first invalid expression */
export function expressionsOf(request: WithExpressions): Expressions {
  const placeholders = new Placeholders(request.ExpressionAttributeNames, request.ExpressionAttributeValues)
  const conditionIn = (member: ExpressionMember) => {
    const read = readWith(request, member, placeholders, readCondition, conditionProblem)
    return (read as ReadCondition | undefined)?.condition
  }
  const update = readWith(request, 'UpdateExpression', placeholders, readUpdate, updateProblem)?.actions
  const condition = conditionIn('ConditionExpression')
  const keyCondition = conditionIn('KeyConditionExpression')
  const filter = conditionIn('FilterExpression')
  const projection = readWith(request, 'ProjectionExpression', placeholders, readProjection, (paths) => {
    const named = reservedWord(paths) ?? undefinedName(paths)
    if (named !== undefined) return named
    const { overlap, conflict } = clash(paths.map(wayOf))
    return overlap ?? conflict ?? undefined
  })?.map(wayOf)
  placeholders.close()
  return {
    ...(update && { update }),
    ...(condition && { condition }),
    ...(keyCondition && { keyCondition }),
    ...(filter && { filter }),
    ...(projection && { projection }),
  }
}

function readWith<T>(
  request: WithExpressions,
  member: ExpressionMember,
  placeholders: Placeholders,
  read: (text: string, placeholders: Placeholders) => T | string,
  problemOf: (read: T) => string | undefined,
): T | undefined {
  const text = request[member]
  if (text === undefined) return undefined
  const expression = text === '' ? 'The expression can not be empty;' : read(text, placeholders)
  const problem = typeof expression === 'string' ? expression : problemOf(expression)
  if (problem !== undefined) throw validation(`Invalid ${member}: ${problem}`)
  return expression as T
}
