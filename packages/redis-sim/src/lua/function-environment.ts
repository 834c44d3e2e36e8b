/**
 * The globals of a function library. While the library is being loaded, they only contain a `redis`
 * table for registering functions. Afterwards, the code of the library sees the globals of scripts
 * without KEYS and ARGV. Source: luaEngineInitEngine of Redis 7.0.
 */
import './libraries.ts'
import { globals, protect, unknownGlobal } from './globals.ts'
import { library, several } from './lib/arguments.ts'
import { redisLibrary } from './lib/redis.ts'
import { collecting, registerFunction } from './lib/register-function.ts'
import { LuaTable } from './runtime/table.ts'
import type { LuaValue } from './runtime/values.ts'

const onlyForScripts = ['breakpoint', 'debug', 'replicate_commands']
const whileLoading = ['log', 'LOG_DEBUG', 'LOG_VERBOSE', 'LOG_NOTICE', 'LOG_WARNING', 'REDIS_VERSION']

function withUnknown(table: LuaTable): LuaTable {
  table.metatable = library({ __index: unknownGlobal })
  return table
}

function entries(table: LuaTable): [string, LuaValue][] {
  const found: [string, LuaValue][] = []
  for (let at = table.nextPosition(-1); at >= 0; at = table.nextPosition(at)) {
    found.push([table.keyAt(at) as string, table.valueAt(at)])
  }
  return found
}

const redisOfFunctions = library(
  Object.fromEntries(entries(redisLibrary).filter(([name]) => !onlyForScripts.includes(name))),
)

const ofFunctions = withUnknown(
  library({
    ...Object.fromEntries(
      entries(globals).filter(([name]) => !['KEYS', 'ARGV', '__redis__err__handler'].includes(name)),
    ),
    redis: redisOfFunctions,
  }),
)
ofFunctions.set('_G', ofFunctions)

const ofLoading = withUnknown(
  library({
    redis: withUnknown(
      library({
        register_function: registerFunction,
        ...Object.fromEntries(entries(redisLibrary).filter(([name]) => whileLoading.includes(name))),
        REDIS_VERSION_NUM: redisLibrary.get('REDIS_VERSION_NUM'),
      }),
    ),
  }),
)

/**
 * The table itself is empty, because the result of a lookup depends on whether a library
 * is being loaded.
 */
export const functionEnvironment = new LuaTable()
functionEnvironment.metatable = library({
  __index: several((_table, name) => {
    const current = collecting() ? ofLoading : ofFunctions
    const value = current.get(name)
    return value === undefined ? unknownGlobal(current, name) : value
  }),
})
for (const table of [ofFunctions, ofLoading, functionEnvironment]) protect(table)
