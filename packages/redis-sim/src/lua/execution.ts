/** State of the running execution. There is at most one, and executions do not nest. */

import { ErrorReply } from '../resp/reply.ts'
import type { LuaHost } from './host.ts'
import { createLuaMemory, type LuaMemory } from './memory.ts'
import { pardon } from './runtime/effort.ts'
import { LuaError } from './runtime/errors.ts'
import { LuaTable } from './runtime/table.ts'

interface Execution {
  KEYS: LuaTable
  ARGV: LuaTable
  host: LuaHost
  memory: LuaMemory
  /** The protocol version chosen with `redis.setresp`. */
  resp: 2 | 3
  /** The globals for chunks compiled at run time; null selects the globals of scripts. */
  environment: LuaTable | null
}

const noHost = new Proxy({} as LuaHost, {
  get() {
    throw new Error('no script is running')
  },
})

export const execution: Execution = {
  KEYS: new LuaTable(),
  ARGV: new LuaTable(),
  host: noHost,
  memory: createLuaMemory(),
  resp: 2,
  environment: null,
}

/** Number of steps between two calls of the host's `tick`. */
const stepsPerTick = 1000

/**
 * Called by compiled code after each `stepsPerTick` steps; returns the steps until the next call.
 * If the host throws an `ErrorReply`, the script is killed.
 */
export function tick(): number {
  try {
    execution.host.tick(stepsPerTick)
  } catch (reason) {
    if (!(reason instanceof ErrorReply)) throw reason
    pardon()
    throw killed(reason.message)
  }
  return stepsPerTick
}

/** Creates an error that the script cannot catch. */
function killed(message: string): LuaError {
  const table = new LuaTable()
  table.set('err', message)
  const error = new LuaError(table, 0)
  error.fatal = true
  return error
}
