import { createHash } from 'node:crypto'
import { type CancellationReason, ServiceError, transactionCancelled, validation } from '../errors.ts'
import { checkPlaceholders, type Expressions, expressionsOf, type WithExpressions } from '../requests/expressions-of.ts'
import { type Item, memberOf } from '../values/attribute-value.ts'
import { normalisedItem } from '../values/normalised.ts'
import { consumedByTables, type WantsCapacity, writeUnitsOf } from './capacity.ts'
import type { Context } from './context.ts'
import type { Checked } from './single-writes.ts'
import { checkItemSize, commit, keyOfWrite, type Prepared, prepare, type Write } from './write.ts'

interface ActionRequest extends WithExpressions {
  readonly TableName: string
  readonly Item?: Item
  readonly Key?: Item
  readonly ReturnValuesOnConditionCheckFailure?: 'ALL_OLD' | 'NONE'
}

type Kind = 'ConditionCheck' | 'Put' | 'Delete' | 'Update'

interface TransactWriteRequest extends WantsCapacity {
  readonly TransactItems: readonly Readonly<Partial<Record<Kind, ActionRequest>>>[]
  readonly ClientRequestToken?: string
}

interface Action {
  readonly request: ActionRequest
  readonly write: Write
  readonly expressions: Expressions
}

const ofWrite = { ConditionCheck: 'check', Delete: 'delete', Update: 'update' } as const

/**
 * Performs all writes or none, at one moment. A request whose token was already used writes
 * nothing.
 */
export function transactWriteItems(request: TransactWriteRequest): Checked {
  const actions = request.TransactItems.map(actionOf)
  return (context) => {
    const { host, transactions } = context
    host.unjudged('TransactWriteItems')
    const { ClientRequestToken: token } = request
    const digest = createHash('sha256').update(JSON.stringify(request)).digest('hex')
    const units = new Map<string, number>()
    if (token === undefined || !transactions.wasDone(token, digest, host.nowMs())) {
      for (const prepared of preparedBy(context, actions)) {
        const { name } = prepared.table.definition
        // Each write counts twice, because it is prepared and committed (developer guide, "Capacity
        // management for transactions").
        units.set(name, (units.get(name) ?? 0) + 2 * writeUnitsOf(prepared.before, prepared.after))
        if (prepared.after !== prepared.before) commit(context, prepared)
      }
      if (token !== undefined) transactions.note(token, digest, host.nowMs())
    }
    return consumedByTables(request, units)
  }
}

function actionOf(asked: Readonly<Partial<Record<Kind, ActionRequest>>>): Action {
  const kinds = Object.keys(asked) as Kind[]
  if (kinds.length !== 1) throw validation('TransactItems can only contain one of Check, Put, Update or Delete')
  const kind = kinds[0]!
  const request = asked[kind]!
  checkPlaceholders(request, kind === 'Update' ? ['UpdateExpression', 'ConditionExpression'] : ['ConditionExpression'])
  if (kind !== 'Put') {
    const key = normalisedItem(request.Key!)
    return { request, write: { kind: ofWrite[kind], key }, expressions: expressionsOf(request) }
  }
  const item = normalisedItem(request.Item!)
  checkItemSize(item)
  return { request, write: { kind: 'put', item }, expressions: expressionsOf(request) }
}

/**
 * @throws ServiceError TransactionCanceledException with the reasons of all actions, or an error of
 * the whole request
 */
function preparedBy(context: Context, actions: readonly Action[]): readonly Prepared[] {
  const tables = actions.map(({ request }) => context.catalogue.active(request.TableName))
  const keys = reasoned(
    actions,
    ({ write, expressions }, at) => keyOfWrite(tables[at]!, write, expressions),
    isEmptyKey,
  )
  const targets = keys.map((key, at) => `${tables[at]!.definition.name} ${key}`)
  if (new Set(targets).size < targets.length)
    throw validation('Transaction request cannot include multiple operations on one item')
  return reasoned(actions, ({ request, write, expressions }, at) =>
    prepare(context, tables[at]!, write, expressions, request.ReturnValuesOnConditionCheckFailure),
  )
}

/**
 * True for an error about an empty key value. An empty key value is an error of the whole request;
 * a key value of a wrong type only cancels the transaction.
 */
function isEmptyKey({ message }: ServiceError): boolean {
  return message.includes('cannot contain an empty')
}

function reasoned<T>(
  actions: readonly Action[],
  work: (action: Action, at: number) => T,
  refusesAll: (problem: ServiceError) => boolean = () => false,
): T[] {
  const done: T[] = []
  const reasons = actions.map((action, at): CancellationReason => {
    try {
      done.push(work(action, at))
      return { Code: 'None' }
    } catch (problem) {
      if (!(problem instanceof ServiceError) || refusesAll(problem)) throw problem
      return reasonOf(problem)
    }
  })
  if (done.length < actions.length) throw transactionCancelled(reasons)
  return done
}

function reasonOf({ type, message, members }: ServiceError): CancellationReason {
  if (!type.endsWith('ConditionalCheckFailedException')) return { Code: 'ValidationError', Message: message }
  const item = memberOf(members, 'Item')
  return { Code: 'ConditionalCheckFailed', Message: message, ...(item !== undefined && { Item: item }) }
}
