import { ServiceError, validation } from '../errors.ts'
import type { KeyAttribute, Table } from '../store/table.ts'
import { type Item, memberOf } from '../values/attribute-value.ts'
import { normalisedItem } from '../values/normalised.ts'
import { checkKey, checkPiece } from './keys.ts'

const prefix = 'The provided starting key is invalid: '

/** Messages that are reported unchanged. All other messages are prefixed with `prefix`. */
const bare = /contains duplicates|number set|numeric value|significant digits|number with magnitude/

/** @throws ServiceError */
export function checkedStart(start: Item | undefined): Item | undefined {
  if (start === undefined) return undefined
  return reported(
    () => normalisedItem(start),
    (message) => (bare.test(message) ? '' : prefix),
  )
}

/** Checks that the start key matches the key schema of the table. @throws ServiceError */
export function checkStart(table: Table, start: Item): void {
  reported(
    () => checkKey(table, start),
    () => prefix,
  )
}

function reported<T>(check: () => T, prefixOf: (message: string) => string): T {
  try {
    return check()
  } catch (problem) {
    if (!(problem instanceof ServiceError)) throw problem
    throw validation(prefixOf(problem.message) + problem.message)
  }
}

/** Checks one attribute of the start key. @throws ServiceError */
export function checkStartPieces(table: Table, attribute: KeyAttribute, start: Item): void {
  const value = memberOf(start, attribute.name)
  if (value === undefined) throw validation('The provided starting key is invalid')
  if (value[attribute.type] === undefined) throw validation('The provided key element does not match the schema')
  checkPiece(attribute, value, attribute === table.definition.partitionKey)
}
