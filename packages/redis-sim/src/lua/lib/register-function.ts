/**
 * `redis.register_function`, which a library calls while it is being loaded. Source: function_lua.c
 * of Redis 7.0.
 */
import { errorTable } from '../reply-to-lua.ts'
import { LuaError } from '../runtime/errors.ts'
import { toText } from '../runtime/operators.ts'
import { LuaTable } from '../runtime/table.ts'
import type { LuaFunction, LuaResult, LuaValue } from '../runtime/values.ts'
import { knownFlags } from '../shebang.ts'
import { several } from './arguments.ts'

export interface Registered {
  readonly name: string
  readonly description: string | null
  readonly flags: readonly string[]
  readonly callback: LuaFunction
}

/** Functions of the library that is being loaded; null while no library is being loaded. */
let registered: Map<string, Registered> | null = null

export function collecting(): boolean {
  return registered !== null
}

/** Returns the functions that the body registers; rethrows its errors. */
export function collect(body: () => void): ReadonlyMap<string, Registered> {
  const found = new Map<string, Registered>()
  registered = found
  try {
    body()
  } finally {
    registered = null
  }
  return found
}

function refuse(message: string): never {
  throw new LuaError(errorTable(message), 0)
}

export const badName =
  'Library names can only contain letters, numbers, or underscores(_) and must be at least one character long'

function register(...args: LuaValue[]): LuaResult {
  if (registered === null) refuse('redis.register_function can only be called on FUNCTION LOAD command')
  if (args.length < 1 || args.length > 2) refuse('wrong number of arguments to redis.register_function')
  const one = args.length === 1 ? named(args[0]) : positional(args[0], args[1])
  if (!/^[a-zA-Z0-9_]+$/.test(one.name)) refuse(badName)
  if (registered.has(one.name)) refuse('Function already exists in the library')
  registered.set(one.name, one)
  return []
}

function positional(name: LuaValue, callback: LuaValue): Registered {
  const nameText = toText(name)
  if (nameText === undefined) refuse('first argument to redis.register_function must be a string')
  if (typeof callback !== 'function') refuse('second argument to redis.register_function must be a function')
  return { name: nameText, description: null, flags: [], callback }
}

function named(table: LuaValue): Registered {
  if (!(table instanceof LuaTable)) {
    refuse(
      'calling redis.register_function with a single argument is only applicable to Lua table (representing named arguments).',
    )
  }
  const given: { name?: string; description?: string; callback?: LuaFunction; flags?: string[] } = {}
  for (let at = table.nextPosition(-1); at >= 0; at = table.nextPosition(at)) {
    const key = toText(table.keyAt(at))
    if (key === undefined) refuse('named argument key given to redis.register_function is not a string')
    const value = table.valueAt(at)
    switch (key.toLowerCase()) {
      case 'function_name':
        given.name = text(value, 'function_name')
        break
      case 'description':
        given.description = text(value, 'description')
        break
      case 'callback':
        if (typeof value !== 'function') {
          refuse('callback argument given to redis.register_function must be a function')
        }
        given.callback = value
        break
      case 'flags':
        given.flags = readFlags(value)
        break
      default:
        refuse('unknown argument given to redis.register_function')
    }
  }
  if (given.name === undefined) refuse('redis.register_function must get a function name argument')
  if (given.callback === undefined) refuse('redis.register_function must get a callback argument')
  const { name, callback, description = null, flags = [] } = given
  return { name, callback, description, flags }
}

function text(value: LuaValue, what: string): string {
  return toText(value) ?? refuse(`${what} argument given to redis.register_function must be a string`)
}

/** Reads the flags of a function; returns them in Redis's order, without duplicates. */
function readFlags(value: LuaValue): string[] {
  if (!(value instanceof LuaTable)) {
    refuse('flags argument to redis.register_function must be a table representing function flags')
  }
  const given: string[] = []
  for (let at = 1; value.get(at) !== undefined; at++) {
    const flag = toText(value.get(at))?.toLowerCase()
    if (flag === undefined || !knownFlags.includes(flag)) refuse('unknown flag given')
    given.push(flag)
  }
  return knownFlags.filter((flag) => given.includes(flag))
}

export const registerFunction = several(register)
