/** Argument checks of built-in functions, with the texts of Lua's auxiliary library. */
import { raiseArgument } from '../runtime/errors.ts'
import { toNumber, toText } from '../runtime/operators.ts'
import { LuaTable } from '../runtime/table.ts'
import { type LuaFunction, type LuaResult, type LuaValue, typeName } from '../runtime/values.ts'

export type Args = readonly LuaValue[]

/** Makes a built-in that returns exactly one value. */
export function single(body: (...args: LuaValue[]) => LuaValue): LuaFunction {
  return Object.assign(body, { isBuiltin: true, single: true })
}

/** Makes a built-in that returns any number of values. */
export function several(body: (...args: LuaValue[]) => LuaResult): LuaFunction {
  return Object.assign(body, { isBuiltin: true })
}

export function library(functions: Record<string, LuaValue>): LuaTable {
  const table = new LuaTable()
  for (const [name, value] of Object.entries(functions)) table.set(name, value)
  return table
}

/** Raises the error for an argument of a wrong type. `position` starts at 1. */
export function typeError(args: Args, position: number, expected: string): never {
  const got = position > args.length ? 'no value' : typeName(args[position - 1])
  raiseArgument(position, `${expected} expected, got ${got}`)
}

export function checkAny(args: Args, position: number): LuaValue {
  if (position > args.length) raiseArgument(position, 'value expected')
  return args[position - 1]
}

export function checkTable(args: Args, position: number): LuaTable {
  const value = args[position - 1]
  return value instanceof LuaTable ? value : typeError(args, position, 'table')
}

export function checkFunction(args: Args, position: number): LuaFunction {
  const value = args[position - 1]
  return typeof value === 'function' ? value : typeError(args, position, 'function')
}

export function checkString(args: Args, position: number): string {
  const value = args[position - 1]
  return typeof value === 'string' ? value : (toText(value) ?? typeError(args, position, 'string'))
}

export function optionalString(args: Args, position: number, otherwise: string): string {
  return args[position - 1] === undefined ? otherwise : checkString(args, position)
}

export function checkNumber(args: Args, position: number): number {
  const value = args[position - 1]
  return typeof value === 'number' ? value : (toNumber(value) ?? typeError(args, position, 'number'))
}

/**
 * C's conversion of a double to a 64-bit integer: truncates; out-of-range values become the
 * smallest integer.
 */
export function toInteger(value: number): number {
  const whole = Math.trunc(value)
  return whole >= -(2 ** 63) && whole < 2 ** 63 ? whole : -(2 ** 63)
}

export function checkInteger(args: Args, position: number): number {
  return toInteger(checkNumber(args, position))
}

export function optionalInteger(args: Args, position: number, otherwise: number): number {
  return args[position - 1] === undefined ? otherwise : checkInteger(args, position)
}

/** Checks that an argument is a number and converts it to 32 bits, like `luaL_checkint`. */
export function checkInt(args: Args, position: number): number {
  return checkInteger(args, position) | 0
}

export function optionalInt(args: Args, position: number, otherwise: number): number {
  return args[position - 1] === undefined ? otherwise : checkInt(args, position)
}

export function checkOption(args: Args, position: number, otherwise: string, options: readonly string[]): string {
  const value = optionalString(args, position, otherwise)
  if (!options.includes(value)) raiseArgument(position, `invalid option '${value}'`)
  return value
}

/** Like `luaL_argcheck`. */
export function raiseArgumentUnless(holds: boolean, position: number, message: string): void {
  if (!holds) raiseArgument(position, message)
}
