/** Calls Lua values: up to a certain depth on JavaScript's stack, beyond it on the heap. */
import { CallStack, callHandler, type Levels } from './call-stack.ts'
import { LuaError, raise, stackOverflow } from './errors.ts'
import { first, type LuaFunction, type LuaResult, type LuaValue } from './values.ts'

/**
 * Maximum number of active calls on JavaScript's stack. The limit is low, because the stack size of
 * a call is unknown.
 */
const plainDepth = 200

/**
 * Lua's limit of active calls. Lua doubles the size of its call stack and refuses more than 20,000
 * calls; after an overflow, the size is exactly 20,000. Source: ldo.c of Lua 5.1.
 */
export interface CallRoom {
  calls: number
}
const roomAfterOverflow = 20_000
export function newCallRoom(): CallRoom {
  return { calls: 16_384 }
}
let room = newCallRoom()
/** Selects the limit of the server whose script runs. */
export function useCallRoom(of: CallRoom): void {
  room = of
}

let depth = 0
/**
 * The number of calls in `depth` that Lua does not have on its stack, because a tail call replaced
 * them.
 */
let lost = 0

/** The depths of the call counters. Code that catches errors saves and restores them. */
export interface Depths {
  readonly calls: number
  readonly native: number
  readonly lost: number
}
export function currentDepths(): Depths {
  return { calls: depth, native: nativeDepth, lost }
}
export function restoreDepths(depths: Depths): void {
  depth = depths.calls
  lost = depths.lost
  nativeDepth = depths.native
}
/**
 * The depths at the start of an execution. Redis calls a script through C, so one native call is
 * active.
 */
export const outermost: Depths = { calls: 0, native: 1, lost: 0 }

/** Counts a call. The host's call and the script itself count, too. */
function enter(): void {
  if (++depth - lost + nativeDepth < room.calls) return
  room.calls = roomAfterOverflow
  raise(stackOverflow)
}

const levels: Levels = {
  enter,
  leave() {
    depth--
  },
}

/** Makes a call that the caller already counted. */
function callDeep(f: LuaFunction, args: readonly LuaValue[]): LuaResult {
  depth--
  enter()
  // Functions of a chunk that cannot recurse have no generators, and do not need the heap.
  const result =
    f.generator === undefined ? f(...args) : new CallStack(f.generator(...args), levels, false).run([]).value
  depth--
  return result
}

/** Creates the call stack of a coroutine. */
export function newCoroutineStack(f: LuaFunction, args: readonly LuaValue[]): CallStack {
  return new CallStack(f.generator!(...args), levels, true)
}

/** Counts the active calls of a resumed coroutine again. */
export function resumeDepth(calls: number): void {
  depth += calls
}

export function call0(f: LuaValue, _site?: number): LuaResult {
  if (typeof f !== 'function') return callValue(f, [])
  if (++depth > plainDepth) return callDeep(f, [])
  const result = f()
  depth--
  return result
}
export function call1(f: LuaValue, a: LuaValue, _site?: number): LuaResult {
  if (typeof f !== 'function') return callValue(f, [a])
  if (++depth > plainDepth) return callDeep(f, [a])
  const result = f(a)
  depth--
  return result
}
export function call2(f: LuaValue, a: LuaValue, b: LuaValue, _site?: number): LuaResult {
  if (typeof f !== 'function') return callValue(f, [a, b])
  if (++depth > plainDepth) return callDeep(f, [a, b])
  const result = f(a, b)
  depth--
  return result
}
export function call3(f: LuaValue, a: LuaValue, b: LuaValue, c: LuaValue, _site?: number): LuaResult {
  if (typeof f !== 'function') return callValue(f, [a, b, c])
  if (++depth > plainDepth) return callDeep(f, [a, b, c])
  const result = f(a, b, c)
  depth--
  return result
}
export function call(f: LuaValue, args: readonly LuaValue[], _site?: number): LuaResult {
  if (typeof f !== 'function') return callValue(f, args)
  if (++depth > plainDepth) return callDeep(f, args)
  const result = f(...args)
  depth--
  return result
}

/** The tail-call variants of the functions above. */
export function tail0(f: LuaValue, _site?: number): LuaResult {
  lost++
  const result = call0(f)
  lost--
  return result
}
export function tail1(f: LuaValue, a: LuaValue, _site?: number): LuaResult {
  lost++
  const result = call1(f, a)
  lost--
  return result
}
export function tail2(f: LuaValue, a: LuaValue, b: LuaValue, _site?: number): LuaResult {
  lost++
  const result = call2(f, a, b)
  lost--
  return result
}
export function tail3(f: LuaValue, a: LuaValue, b: LuaValue, c: LuaValue, _site?: number): LuaResult {
  lost++
  const result = call3(f, a, b, c)
  lost--
  return result
}
export function tailCall(f: LuaValue, args: readonly LuaValue[], _site?: number): LuaResult {
  lost++
  const result = call(f, args)
  lost--
  return result
}

function callValue(f: LuaValue, args: readonly LuaValue[]): LuaResult {
  return call(callHandler(f), [f, ...args])
}

/** Lua's limit for calls through C: built-in functions and metamethods that call back. */
const maxNativeDepth = 200
let nativeDepth = 1

/** Makes a call that goes through C, such as a call of a metamethod. */
export function callThroughC(f: LuaValue, args: readonly LuaValue[]): LuaResult {
  if (++nativeDepth >= maxNativeDepth) raise('C stack overflow')
  const result = call(f, args)
  nativeDepth--
  return result
}

/** Makes a call from a built-in function, which counts as a level without a line number. */
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
