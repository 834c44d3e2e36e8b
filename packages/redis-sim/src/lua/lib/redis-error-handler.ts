/**
 * Redis's handler of uncaught errors: converts an error to a table with `err` and the position at
 * which the error was raised.
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

/** The global function. Scripts can call it, but the call has no visible effect. */
export const redisErrorHandler = single((...args) => asTable(args[0]))
