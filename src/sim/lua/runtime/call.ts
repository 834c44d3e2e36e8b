/** Calling Lua values, with the depth limit that keeps JavaScript's own stack from deciding. */
import { LuaError, raise, raiseType, stackOverflow } from './errors.ts'
import { beyond, tooDeep } from './limits.ts'
import { LuaTable } from './table.ts'
import { first, type LuaFunction, type LuaResult, type LuaValue } from './values.ts'

/**
 * Calls that may be under way at once. Lua's own limit is about 16,380; JavaScript's default stack holds fewer, and
 * how many depends on what its compilers did, so the limit is one that always fits.
 */
export const maxDepth = 1900

let depth = 0

/** For code that catches errors: the calls above are gone then. */
export interface Depths {
  readonly calls: number
  readonly native: number
}
export function currentDepths(): Depths {
  return { calls: depth, native: nativeDepth }
}
export function restoreDepths({ calls, native }: Depths): void {
  depth = calls
  nativeDepth = native
}
/** Redis itself makes the first call through C. */
export const outermost: Depths = { calls: 0, native: 1 }

function enter(): void {
  if (++depth <= maxDepth) return
  beyond(tooDeep)
  raise(stackOverflow)
}

export function call0(f: LuaValue, _site?: number): LuaResult {
  if (typeof f !== 'function') return callValue(f, [])
  enter()
  const result = f()
  depth--
  return result
}
export function call1(f: LuaValue, a: LuaValue, _site?: number): LuaResult {
  if (typeof f !== 'function') return callValue(f, [a])
  enter()
  const result = f(a)
  depth--
  return result
}
export function call2(f: LuaValue, a: LuaValue, b: LuaValue, _site?: number): LuaResult {
  if (typeof f !== 'function') return callValue(f, [a, b])
  enter()
  const result = f(a, b)
  depth--
  return result
}
export function call3(f: LuaValue, a: LuaValue, b: LuaValue, c: LuaValue, _site?: number): LuaResult {
  if (typeof f !== 'function') return callValue(f, [a, b, c])
  enter()
  const result = f(a, b, c)
  depth--
  return result
}
export function call(f: LuaValue, args: readonly LuaValue[], _site?: number): LuaResult {
  if (typeof f !== 'function') return callValue(f, args)
  enter()
  const result = f(...args)
  depth--
  return result
}

/** The function behind a callable table, which then gets the table as its first argument. */
export function callHandler(f: LuaValue): LuaFunction {
  const handler = f instanceof LuaTable ? f.meta('__call') : undefined
  if (typeof handler !== 'function') raiseType('call', f)
  return handler
}

function callValue(f: LuaValue, args: readonly LuaValue[]): LuaResult {
  return call(callHandler(f), [f, ...args])
}

/** Lua's limit for calls that go through C: built-in functions and metamethods that call back. */
const maxNativeDepth = 200
let nativeDepth = 1

/** A call that Lua makes through C, as for a metamethod. */
export function callThroughC(f: LuaValue, args: readonly LuaValue[]): LuaResult {
  if (++nativeDepth >= maxNativeDepth) raise('C stack overflow')
  const result = call(f, args)
  nativeDepth--
  return result
}

/** A call that a built-in function makes: the built-in is a level without a line. */
export function callBack(f: LuaValue, args: readonly LuaValue[]): LuaResult {
  try {
    return callThroughC(f, args)
  } catch (error) {
    if (error instanceof LuaError) error.passBuiltin()
    throw error
  }
}

export function callBackFirst(f: LuaValue, args: readonly LuaValue[]): LuaValue {
  return first(callBack(f, args))
}
