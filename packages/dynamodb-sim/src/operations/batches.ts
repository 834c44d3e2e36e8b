import { ServiceError, validation } from '../errors.ts'
import { checkPlaceholders, expressionsOf, type WithExpressions } from '../requests/expressions-of.ts'
import type { Item } from '../values/attribute-value.ts'
import { normalisedItem } from '../values/normalised.ts'
import { itemSize, largestItem } from '../values/size.ts'
import { consumedByTables, readUnitsOf, type WantsCapacity, writeUnitsOf } from './capacity.ts'
import type { Context } from './context.ts'
import { checkRead, read, shown } from './get-item.ts'
import type { Checked } from './single-writes.ts'
import { checkItemSize, commit, keyOfWrite, prepare, type Write } from './write.ts'

interface KeysOfTable extends WithExpressions {
  readonly Keys: readonly Item[]
  readonly ConsistentRead?: boolean
}

interface BatchGetRequest extends WantsCapacity {
  readonly RequestItems: Readonly<Record<string, KeysOfTable>>
}

/** Maximum size of an answer in bytes. The last item may exceed the limit of 1 MB. */
const answerBytes = 1024 * 1024 + largestItem - 3

const duplicates = () => validation('Provided list of item keys contains duplicates')

export function batchGetItem(request: BatchGetRequest): Checked {
  let keys = 0
  const asked = Object.entries(request.RequestItems).map(([name, of]) => {
    checkPlaceholders(of, ['ProjectionExpression'])
    const { projection } = expressionsOf(of)
    const seen = new Set<string>()
    const wanted = of.Keys.map((key) => {
      const normal = normalisedItem(key)
      const text = JSON.stringify(Object.entries(normal).sort(([one], [other]) => (one < other ? -1 : 1)))
      if (seen.size === seen.add(text).size) throw duplicates()
      if (++keys > 100) throw validation('Too many items requested for the BatchGetItem call')
      return normal
    })
    return { name, of, wanted, projection }
  })
  return (context) => {
    const tables = asked.map((one) => ({ ...one, table: context.catalogue.active(one.name) }))
    for (const { table, wanted, projection } of tables) for (const key of wanted) checkRead(table, key, projection)
    let bytes = 0
    const units = new Map<string, number>()
    const responses: Record<string, Item[]> = {}
    const unprocessed: Record<string, KeysOfTable> = {}
    for (const { name, of, table, wanted, projection } of tables) {
      const items: Item[] = (responses[name] = [])
      const left: Item[] = []
      for (const key of wanted) {
        const item = read(context, table, key, of.ConsistentRead)
        const size = item === undefined ? 0 : itemSize(item)
        if (item !== undefined && bytes + size > answerBytes) left.push(key)
        else if (item !== undefined) items.push(shown(item, projection))
        bytes += left.length > 0 ? 0 : size
        units.set(name, (units.get(name) ?? 0) + (left.includes(key) ? 1 : readUnitsOf(item, of.ConsistentRead)))
      }
      if (left.length > 0) unprocessed[name] = { ...of, Keys: left }
    }
    return { Responses: responses, UnprocessedKeys: unprocessed, ...consumedByTables(request, units) }
  }
}

interface WriteOfBatch {
  readonly PutRequest?: { readonly Item: Item }
  readonly DeleteRequest?: { readonly Key: Item }
}

interface BatchWriteRequest extends WantsCapacity {
  readonly RequestItems: Readonly<Record<string, readonly WriteOfBatch[]>>
}

export function batchWriteItem(request: BatchWriteRequest): Checked {
  const asked = Object.entries(request.RequestItems).map(([name, writes]) => {
    if (writes.some((write) => Object.keys(write).length === 0))
      throw validation(
        'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
      )
    return { name, writes: writes.map(checkedWrite) }
  })
  return (context) => {
    const prepared = asked.flatMap(({ name, writes }) => preparedOf(context, name, writes))
    const units = new Map<string, number>()
    for (const { name, write } of prepared) {
      commit(context, write)
      units.set(name, (units.get(name) ?? 0) + writeUnitsOf(write.before, write.after))
    }
    return { UnprocessedItems: {}, ...consumedByTables(request, units) }
  }
}

function checkedWrite({ PutRequest, DeleteRequest }: WriteOfBatch): Write {
  if (PutRequest === undefined) return { kind: 'delete', key: normalisedItem(DeleteRequest!.Key) }
  const item = normalisedItem(PutRequest.Item)
  checkItemSize(item)
  return { kind: 'put', item }
}

function preparedOf(context: Context, name: string, writes: readonly Write[]) {
  const table = context.catalogue.active(name)
  const seen = new Set<string>()
  return writes.map((write) => {
    if (seen.size === seen.add(keyInBatch(() => keyOfWrite(table, write, {}))).size) throw duplicates()
    return { name, write: prepare(context, table, write, {}, 'NONE') }
  })
}

/**
 * Returns the key. In batches, a missing key or a key of the wrong type is reported as a mismatch
 * with the schema.
 */
function keyInBatch(keyOf: () => string): string {
  try {
    return keyOf()
  } catch (problem) {
    const isOfKey = problem instanceof ServiceError && /Missing the key|Type mismatch for key/.test(problem.message)
    throw isOfKey ? validation('The provided key element does not match the schema') : problem
  }
}
