/** What belongs to the running execution; there is one at a time, and none nests in another. */

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
  /** What `redis.setresp` chose. */
  resp: 2 | 3
  /** The globals of what is compiled while it runs; null: those of scripts. */
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

/** Steps between two calls of the host's `tick`. */
const stepsPerTick = 1000

/**
 * Called by compiled code when its steps are used up; an `ErrorReply` that the host throws kills
 * the script.
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

/** An error that the script cannot catch. */
function killed(message: string): LuaError {
  const table = new LuaTable()
  table.set('err', message)
  const error = new LuaError(table, 0)
  error.fatal = true
  return error
}
