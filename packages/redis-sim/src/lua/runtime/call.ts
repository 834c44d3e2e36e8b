/** Calling Lua values: on JavaScript's stack at first, and where that gets deep, on the heap. */
import { CallStack, callHandler, type Levels } from './call-stack.ts'
import { LuaError, raise, stackOverflow } from './errors.ts'
import { first, type LuaFunction, type LuaResult, type LuaValue } from './values.ts'

/**
 * Calls that may be under way on JavaScript's own stack, of which nobody knows how much a call
 * takes.
 */
const plainDepth = 200

/**
 * How many calls Lua holds: it doubles its room, and refuses what needs more than 20,000. From then
 * on it has room for just those. Source: ldo.c of Lua 5.1.
 */
export interface CallRoom {
  calls: number
}
const roomAfterOverflow = 20_000
export function newCallRoom(): CallRoom {
  return { calls: 16_384 }
}
let room = newCallRoom()
/** That of the server whose script runs. */
export function useCallRoom(of: CallRoom): void {
  room = of
}

let depth = 0
/** Of those, the callers whose place a tail call took, as far as Lua is concerned. */
let lost = 0

/** For code that catches errors: the calls above are gone then. */
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
/** Redis itself makes the first call through C. */
export const outermost: Depths = { calls: 0, native: 1, lost: 0 }

/** The host's call and the script itself take room, too. */
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

/** The call that was counted already. */
function callDeep(f: LuaFunction, args: readonly LuaValue[]): LuaResult {
  depth--
  enter()
  // A chunk that cannot recurse has no generators, and so cannot go much deeper.
  const result =
    f.generator === undefined ? f(...args) : new CallStack(f.generator(...args), levels, false).run([]).value
  depth--
  return result
}

/** The calls of a coroutine. */
export function newCoroutineStack(f: LuaFunction, args: readonly LuaValue[]): CallStack {
  return new CallStack(f.generator!(...args), levels, true)
}

/** A coroutine goes on: the calls that it had under way. */
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

/** The same as tail calls. */
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
