import { validation } from '../errors.ts'
import { attributesOf } from '../expressions/condition-problems.ts'
import { checkPlaceholders, expressionsOf, type WithExpressions } from '../requests/expressions-of.ts'
import { viewOf } from './context.ts'
import { nestedHeads, refuseNestedKeys } from './keys.ts'
import { type PageRequest, page } from './page.ts'
import type { Checked } from './single-writes.ts'
import { checkedStart, checkStart } from './start-key.ts'

export function scan(request: PageRequest & WithExpressions): Checked {
  checkPlaceholders(request, ['ProjectionExpression', 'FilterExpression'])
  const start = checkedStart(request.ExclusiveStartKey)
  const expressions = expressionsOf(request)
  const { projection, filter } = expressions
  return (context) => {
    const table = context.catalogue.active(request.TableName)
    if (start !== undefined) {
      if (Object.keys(start).length !== table.keySchema.length)
        throw validation('The provided starting key is invalid: The provided key element does not match the schema')
      checkStart(table, start)
    }
    refuseNestedKeys(table, nestedHeads(projection))
    if (filter !== undefined) refuseNestedKeys(table, attributesOf(filter).nested)
    const view = viewOf(context, table, request.ConsistentRead, null)
    const from = start === undefined ? '' : table.keyOf(start)
    return page(
      context,
      request,
      table,
      view,
      view.keys.filter((key) => key > from),
      expressions,
    )
  }
}
