import { validation } from '../errors.ts'
import type { KeyAttribute, Table } from '../store/table.ts'
import { type AttributeValue, type Item, memberOf, typeOf } from '../values/attribute-value.ts'
import { bytesOf } from '../values/compare.ts'

const mismatch = 'The provided key element does not match the schema'

/** Checks that the key has exactly the key attributes of the table. @throws ServiceError */
export function checkKey(table: Table, key: Item): void {
  if (Object.keys(key).length !== table.keySchema.length) throw validation(mismatch)
  for (const attribute of table.keySchema) {
    const value = memberOf(key, attribute.name)
    if (value?.[attribute.type] === undefined) throw validation(mismatch)
    checkPiece(attribute, value, attribute === table.definition.partitionKey)
  }
}

/** Checks that the item contains a valid key. @throws ServiceError */
export function checkItem(table: Table, item: Item): void {
  for (const attribute of table.keySchema) {
    const value = memberOf(item, attribute.name)
    if (value === undefined)
      throw validation(`One or more parameter values were invalid: Missing the key ${attribute.name} in the item`)
    if (value[attribute.type] === undefined)
      throw validation(
        `One or more parameter values were invalid: Type mismatch for key ${attribute.name} ` +
          `expected: ${attribute.type} actual: ${typeOf(value)}`,
      )
    checkPiece(attribute, value, attribute === table.definition.partitionKey)
  }
}

/**
 * Checks that a key attribute is not empty, and has at most 2048 bytes (partition key) or 1024
 * bytes (sort key).
 */
export function checkPiece({ name, type }: KeyAttribute, value: AttributeValue, isPartitionKey: boolean): void {
  if (type === 'N') return
  const length = type === 'S' ? Buffer.byteLength(value.S!) : bytesOf(value.B!).length
  if (length === 0)
    throw validation(
      'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty ' +
        `${type === 'S' ? 'string' : 'binary'} value. Key: ${name}`,
    )
  if (isPartitionKey && length > 2048)
    throw validation(
      'One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes',
    )
  if (!isPartitionKey && length > 1024)
    throw validation(
      'One or more parameter values were invalid: ' +
        'Aggregated size of all range keys has exceeded the size limit of 1024 bytes',
    )
}

/** @throws ServiceError if an expression accesses a nested element of a key attribute */
export function refuseNestedKeys(table: Table, nested: ReadonlySet<string>): void {
  for (const { name } of table.keySchema)
    if (nested.has(name))
      throw validation(
        `Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: ${name}`,
      )
}

/** The first names of paths with more than one step. */
export function nestedHeads(ways: readonly (readonly (string | number)[])[] | undefined): Set<string> {
  return new Set((ways ?? []).filter(({ length }) => length > 1).map(([head]) => String(head)))
}
