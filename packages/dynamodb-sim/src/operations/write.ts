import { conditionFailed, type ServiceError, validation } from '../errors.ts'
import { applyUpdate } from '../expressions/apply-update.ts'
import { matches } from '../expressions/matches.ts'
import { wayOf } from '../expressions/paths.ts'
import type { Expressions } from '../requests/expressions-of.ts'
import type { Table } from '../store/table.ts'
import type { Item } from '../values/attribute-value.ts'
import { itemSize, largestItem } from '../values/size.ts'
import type { Context } from './context.ts'
import { checkItem, checkKey, nestedHeads, refuseNestedKeys } from './keys.ts'

/** One write of one item, from a validated request. */
export type Write =
  | { readonly kind: 'put'; readonly item: Item }
  | { readonly kind: 'delete' | 'update' | 'check'; readonly key: Item }

export interface Prepared {
  readonly table: Table
  readonly key: string
  readonly before: Item | undefined
  readonly after: Item | undefined
}

/** The key of the written item, checked against the table. @throws ServiceError */
export function keyOfWrite(table: Table, write: Write, { update }: Expressions): string {
  if (write.kind === 'put') checkItem(table, write.item)
  else checkKey(table, write.key)
  if (write.kind === 'update') checkUpdate(table, update ?? [])
  return table.keyOf(write.kind === 'put' ? write.item : write.key)
}

function checkUpdate(table: Table, update: NonNullable<Expressions['update']>): void {
  const ways = update.map(({ path }) => wayOf(path))
  for (const { name } of table.keySchema)
    if (ways.some(([head]) => head === name))
      throw validation(
        `One or more parameter values were invalid: Cannot update attribute ${name}. This attribute is part of the key`,
      )
  refuseNestedKeys(table, nestedHeads(ways))
}

/**
 * Computes the item after the write, without writing it.
 * @throws ServiceError ConditionalCheckFailedException, or an error of the update for this item
 */
export function prepare(
  { host }: Context,
  table: Table,
  write: Write,
  { condition, update }: Expressions,
  onFailure: 'ALL_OLD' | 'NONE' | undefined,
): Prepared {
  const key = table.keyOf(write.kind === 'put' ? write.item : write.key)
  const before = table.get(key)
  if (condition !== undefined && !matches(condition, before ?? {}, (what) => host.unjudged(what)))
    throw failedCondition(host, onFailure, before)
  return { table, key, before, after: after(write, before, update ?? []) }
}

function failedCondition(
  host: Context['host'],
  onFailure: 'ALL_OLD' | 'NONE' | undefined,
  before: Item | undefined,
): ServiceError {
  if (onFailure !== 'ALL_OLD' || before === undefined) return conditionFailed()
  host.unjudged('ReturnValuesOnConditionCheckFailure')
  return conditionFailed(before)
}

function after(write: Write, before: Item | undefined, update: NonNullable<Expressions['update']>): Item | undefined {
  if (write.kind === 'put') return write.item
  if (write.kind === 'delete') return undefined
  if (write.kind === 'check') return before
  const item = applyUpdate(update, before ?? write.key)
  if (itemSize(item) > largestItem) throw validation('Item size to update has exceeded the maximum allowed size')
  return item
}

export function commit({ host }: Context, { table, key, after }: Prepared): void {
  table.write(key, after, host.nowMs())
}

/** @throws ServiceError */
export function checkItemSize(item: Item): void {
  if (itemSize(item) > largestItem) throw validation('Item size has exceeded the maximum allowed size')
}
