/**
 * What Redis does with an error that no script caught: a table with `err`, and where it was raised.
 */
import type { LuaError } from '../runtime/errors.ts'
import { setIndex } from '../runtime/indexing.ts'
import { LuaTable } from '../runtime/table.ts'
import type { LuaValue } from '../runtime/values.ts'
import { single } from './arguments.ts'
import { describeValue } from './describe-value.ts'

function asTable(value: LuaValue): LuaTable {
  if (value instanceof LuaTable) return value
  const table = new LuaTable([], 1)
  table.set('err', `ERR ${describeValue(value)}`)
  return table
}

export function handleError(error: LuaError): LuaTable {
  const table = asTable(error.settle())
  if (error.source !== null) {
    setIndex(table, 'source', error.source)
    setIndex(table, 'line', error.line)
  }
  return table
}

/**
 * It is a global too, though of no use to a script: called from one, it adds nothing that could be
 * seen later.
 */
export const redisErrorHandler = single((...args) => asTable(args[0]))
