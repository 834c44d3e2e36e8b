import { validation } from '../errors.ts'
import { projected, wayOf } from '../expressions/paths.ts'
import { checkPlaceholders, type Expressions, expressionsOf, type WithExpressions } from '../requests/expressions-of.ts'
import type { Item } from '../values/attribute-value.ts'
import { normalisedItem } from '../values/normalised.ts'
import { consumed, type WantsCapacity, writeUnitsOf } from './capacity.ts'
import type { Context } from './context.ts'
import { checkItemSize, commit, keyOfWrite, type Prepared, prepare, type Write } from './write.ts'

type ReturnValues = 'NONE' | 'ALL_OLD' | 'UPDATED_OLD' | 'ALL_NEW' | 'UPDATED_NEW'

interface WriteRequest extends WithExpressions, WantsCapacity {
  readonly TableName: string
  readonly ReturnValues?: ReturnValues
  readonly ReturnValuesOnConditionCheckFailure?: 'ALL_OLD' | 'NONE'
}

/** Executes a validated request on its tables. */
export type Checked = (context: Context) => object

export function putItem(request: WriteRequest & { readonly Item: Item }): Checked {
  checkPlaceholders(request, ['ConditionExpression'])
  const item = normalisedItem(request.Item)
  onlyOld(request)
  checkItemSize(item)
  return writing(request, { kind: 'put', item }, expressionsOf(request))
}

export function deleteItem(request: WriteRequest & { readonly Key: Item }): Checked {
  checkPlaceholders(request, ['ConditionExpression'])
  const key = normalisedItem(request.Key)
  onlyOld(request)
  return writing(request, { kind: 'delete', key }, expressionsOf(request))
}

export function updateItem(request: WriteRequest & { readonly Key: Item }): Checked {
  checkPlaceholders(request, ['UpdateExpression', 'ConditionExpression'])
  const key = normalisedItem(request.Key)
  return writing(request, { kind: 'update', key }, expressionsOf(request))
}

function onlyOld({ ReturnValues = 'NONE' }: WriteRequest): void {
  if (ReturnValues !== 'ALL_OLD' && ReturnValues !== 'NONE')
    throw validation('ReturnValues can only be ALL_OLD or NONE')
}

function writing(request: WriteRequest, write: Write, expressions: Expressions): Checked {
  return (context) => {
    const table = context.catalogue.active(request.TableName)
    keyOfWrite(table, write, expressions)
    const prepared = prepare(context, table, write, expressions, request.ReturnValuesOnConditionCheckFailure)
    commit(context, prepared)
    return {
      ...returned(request.ReturnValues ?? 'NONE', prepared, expressions),
      ...consumed(request, request.TableName, writeUnitsOf(prepared.before, prepared.after)),
    }
  }
}

function returned(wanted: ReturnValues, { before, after }: Prepared, { update }: Expressions): object {
  const item = wanted.endsWith('OLD') ? before : wanted.endsWith('NEW') ? after : undefined
  if (item === undefined) return {}
  const ways = (update ?? []).map(({ path }) => wayOf(path))
  return { Attributes: wanted.startsWith('UPDATED') ? projected(ways, item) : item }
}
