/** One execution of Lua on behalf of a client, from a clean state to the reply. */

import { ErrorReply, type Reply } from '../resp/reply.ts'
import { execution } from './execution.ts'
import { globals } from './globals.ts'
import type { LuaCall } from './host.ts'
import { handleError } from './lib/redis-error-handler.ts'
import { luaToReply, wasCounted } from './lua-to-reply.ts'
import { createLuaMemory } from './memory.ts'
import { outermost, restoreDepths, useCallRoom } from './runtime/call.ts'
import { leaveCoroutines } from './runtime/coroutine.ts'
import { forgetEffort } from './runtime/effort.ts'
import { LuaError } from './runtime/errors.ts'
import { field } from './runtime/indexing.ts'
import { beyondJavaScript } from './runtime/limits.ts'
import { toText } from './runtime/operators.ts'
import { LuaTable } from './runtime/table.ts'
import { first, type LuaResult, type LuaValue, resetAddresses } from './runtime/values.ts'

/**
 * `name` is the script's name in errors. `environment` holds the globals; null selects the globals
 * of scripts.
 */
export function runProtected(
  name: string,
  call: LuaCall,
  environment: LuaTable | null,
  body: (keys: LuaTable, argv: LuaTable) => LuaResult,
): Reply {
  begin(call, environment)
  try {
    return luaToReply(first(body(execution.KEYS, execution.ARGV)), execution.resp)
  } catch (error) {
    if (error instanceof LuaError) return errorReply(name, handleError(error))
    // The construction of the reply recursed deeper than JavaScript's stack.
    if (error instanceof RangeError) {
      beyondJavaScript(error)
      return new ErrorReply('ERR reached lua stack limit')
    }
    throw error
  }
}

function errorReply(name: string, table: LuaTable): ErrorReply {
  const text = (key: string) => toText(field(table, key))?.split('\0', 1)[0]
  const source = text('source')
  const line = text('line')
  const place = source === undefined || line === undefined ? '' : ` script: ${name}, on ${source}:${line}.`
  // sdscatfmt prints a missing message as an empty string.
  const message = `-${text('err') ?? ''}${place}`
  return new ErrorReply(
    message
      .replace(/^[\r\n]+|[\r\n]+$/g, '')
      .replace(/[\r\n]/g, ' ')
      .slice(1),
    wasCounted(table),
  )
}

/** Sets the state of the execution, and resets all state that earlier executions left. */
export function begin({ keys, argv, host }: LuaCall, environment: LuaTable | null): void {
  execution.KEYS = LuaTable.fromList(keys.slice() as LuaValue[])
  execution.ARGV = LuaTable.fromList(argv.slice() as LuaValue[])
  globals.set('KEYS', execution.KEYS)
  globals.set('ARGV', execution.ARGV)
  execution.host = host
  execution.resp = 2
  execution.environment = environment
  execution.memory = host.memory ?? createLuaMemory()
  forgetEffort()
  resetAddresses()
  restoreDepths(outermost)
  useCallRoom(execution.memory.room)
  leaveCoroutines()
}
