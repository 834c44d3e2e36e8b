/**
 * Lua values as JavaScript values: nil is `undefined`, strings are byte strings, a Lua function is
 * a JavaScript function. A function returns one value directly, and no value or several values as
 * an array (no Lua value is an array).
 */
import type { requested } from './call-stack.ts'
import type { Coroutine } from './coroutine.ts'
import type { LuaTable } from './table.ts'

/** Untyped userdata. `cjson.null` is the only one that a script can get. */
export class LightUserdata {
  constructor(readonly text: string) {}
}

export type LuaValue = undefined | boolean | number | string | LuaTable | LuaFunction | LightUserdata | Coroutine
export type LuaResult = LuaValue | readonly LuaValue[]

/** A running Lua function that yields the calls it requests: see call-stack.ts. */
export type LuaGenerator = Generator<readonly LuaValue[] | typeof requested, LuaResult, LuaResult>

export interface LuaFunction {
  (...args: LuaValue[]): LuaResult
  /** The twin whose calls are kept on the heap, if the script uses coroutines or may recurse. */
  generator?: (...args: LuaValue[]) => LuaGenerator
  /** True for library functions that are not written in Lua. */
  isBuiltin?: boolean
}

/**
 * The result of a function that returns no values. The array is shared, so it must not be modified.
 */
export const none: readonly LuaValue[] = []

export function first(result: LuaResult): LuaValue {
  return Array.isArray(result) ? result[0] : (result as LuaValue)
}

export function all(result: LuaResult): readonly LuaValue[] {
  return Array.isArray(result) ? result : [result as LuaValue]
}

export function isFalsy(value: LuaValue): boolean {
  return value === undefined || value === false
}

export function typeName(value: LuaValue): string {
  switch (typeof value) {
    case 'undefined':
      return 'nil'
    case 'object':
      return (value as { typeName?: string }).typeName ?? 'userdata'
    default:
      return typeof value
  }
}

/**
 * Addresses: deterministic substitutes for the pointers that Lua prints and hashes. Each execution
 * restarts the numbering.
 */
let nextAddress = 0
let addresses = new WeakMap<object, number>()

export function resetAddresses(): void {
  if (nextAddress === 0) return
  nextAddress = 0
  addresses = new WeakMap()
}

export function addressOf(value: object): number {
  let address = addresses.get(value)
  if (address === undefined) {
    address = 0x5581_0000_0000 + 64 * ++nextAddress
    addresses.set(value, address)
  }
  return address
}
