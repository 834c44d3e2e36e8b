import { validation } from '../errors.ts'
import { checkPlaceholders, expressionsOf, type WithExpressions } from '../requests/expressions-of.ts'
import type { Item } from '../values/attribute-value.ts'
import { normalisedItem } from '../values/normalised.ts'
import { consumedByTables, readUnitsOf, type WantsCapacity } from './capacity.ts'
import { checkRead, shown } from './get-item.ts'
import type { Checked } from './single-writes.ts'

interface Get extends WithExpressions {
  readonly TableName: string
  readonly Key: Item
}

interface TransactGetRequest extends WantsCapacity {
  readonly TransactItems: readonly { readonly Get: Get }[]
}

/** Reads all items at one moment. */
export function transactGetItems(request: TransactGetRequest): Checked {
  const asked = request.TransactItems.map(({ Get }) => {
    checkPlaceholders(Get, ['ProjectionExpression'])
    return { name: Get.TableName, key: normalisedItem(Get.Key), projection: expressionsOf(Get).projection }
  })
  return ({ host, catalogue }) => {
    host.unjudged('TransactGetItems')
    const units = new Map<string, number>()
    const targets = new Set<string>()
    const found = asked.map(({ name, key, projection }) => {
      const table = catalogue.active(name)
      checkRead(table, key, projection)
      const text = table.keyOf(key)
      if (targets.size === targets.add(`${name} ${text}`).size)
        throw validation('Transaction request cannot include multiple operations on one item')
      const item = table.get(text)
      units.set(name, (units.get(name) ?? 0) + 2 * readUnitsOf(item, true))
      return item === undefined ? {} : { Item: shown(item, projection) }
    })
    return { Responses: found, ...consumedByTables(request, units) }
  }
}
