/**
 * The global environment. It is shared by all scripts and executions, and is read-only, as in Redis
 * 7.0. Each execution first sets KEYS, ARGV and the other state that differs between executions.
 */

import { several } from './lib/arguments.ts'
import { raise } from './runtime/errors.ts'
import { stringMetatable } from './runtime/indexing.ts'
import { toText } from './runtime/operators.ts'
import { LuaTable } from './runtime/table.ts'
import type { LuaValue } from './runtime/values.ts'

export const globals = new LuaTable()

export const unknownGlobal = several((...args) => {
  if (args.length !== 2) raise('Wrong number of arguments to luaProtectedTableError')
  const name = toText(args[1])
  if (name === undefined) raise('Second argument to luaProtectedTableError must be a string or number')
  raise(`Script attempted to access nonexistent global variable '${name.split('\0', 1)[0]}'`)
})

/** Makes the table and its contents read-only for scripts. */
export function protect(table: LuaTable): void {
  if (table.readOnly) return
  table.readOnly = true
  for (let at = table.nextPosition(-1); at >= 0; at = table.nextPosition(at)) {
    const value = table.valueAt(at)
    if (value instanceof LuaTable) protect(value)
  }
  if (table.metatable) protect(table.metatable)
}

export function installGlobals(values: Record<string, LuaValue>): void {
  for (const [name, value] of Object.entries(values)) globals.set(name, value)
  globals.set('_G', globals)
  globals.metatable = new LuaTable()
  globals.metatable.set('__index', unknownGlobal)
  protect(globals)
  protect(stringMetatable)
}
