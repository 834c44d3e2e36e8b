/**
 * Operators whose operands are not known to be numbers at compile time. The last parameter is
 * unused. Its argument sets the error site, and is evaluated after the operands.
 */

import { callThroughC } from './call.ts'
import { raise, raiseType } from './errors.ts'
import { numberToString } from './number-format.ts'
import { parseNumber } from './number-parse.ts'
import { LuaTable } from './table.ts'
import { first, isFalsy, type LuaValue, typeName } from './values.ts'

/** Converts a number, or a string that contains a number; undefined for other values. */
export function toNumber(value: LuaValue): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' ? parseNumber(value) : undefined
}

export function metaOf(value: LuaValue, event: string): LuaValue {
  return value instanceof LuaTable ? value.meta(event) : undefined
}

export function modulo(a: number, b: number): number {
  return a - Math.floor(a / b) * b
}

/** C's `pow`: 1 to any power is 1, and -1 to an infinite power is 1. */
export function power(a: number, b: number): number {
  return a === 1 || (a === -1 && (b === Number.POSITIVE_INFINITY || b === Number.NEGATIVE_INFINITY)) ? 1 : a ** b
}

const operations: Record<string, (a: number, b: number) => number> = {
  __add: (a, b) => a + b,
  __sub: (a, b) => a - b,
  __mul: (a, b) => a * b,
  __div: (a, b) => a / b,
  __mod: modulo,
  __pow: power,
}

function arithmetic(event: string, a: LuaValue, b: LuaValue): LuaValue {
  const x = toNumber(a)
  const y = toNumber(b)
  if (x !== undefined && y !== undefined) return operations[event]!(x, y)
  const handler = metaOf(a, event) ?? metaOf(b, event)
  if (handler !== undefined) return first(callThroughC(handler, [a, b]))
  if (x === undefined) raiseType('perform arithmetic on', a, 0)
  raiseType('perform arithmetic on', b, 1)
}

export function add(a: LuaValue, b: LuaValue, _site?: number): LuaValue {
  return typeof a === 'number' && typeof b === 'number' ? a + b : arithmetic('__add', a, b)
}
export function sub(a: LuaValue, b: LuaValue, _site?: number): LuaValue {
  return typeof a === 'number' && typeof b === 'number' ? a - b : arithmetic('__sub', a, b)
}
export function mul(a: LuaValue, b: LuaValue, _site?: number): LuaValue {
  return typeof a === 'number' && typeof b === 'number' ? a * b : arithmetic('__mul', a, b)
}
export function div(a: LuaValue, b: LuaValue, _site?: number): LuaValue {
  return typeof a === 'number' && typeof b === 'number' ? a / b : arithmetic('__div', a, b)
}
export function mod(a: LuaValue, b: LuaValue, _site?: number): LuaValue {
  return typeof a === 'number' && typeof b === 'number' ? modulo(a, b) : arithmetic('__mod', a, b)
}
export function pow(a: LuaValue, b: LuaValue, _site?: number): LuaValue {
  return typeof a === 'number' && typeof b === 'number' ? power(a, b) : arithmetic('__pow', a, b)
}

export function unm(a: LuaValue, _site?: number): LuaValue {
  const number = toNumber(a)
  if (number !== undefined) return -number
  const handler = metaOf(a, '__unm')
  if (handler !== undefined) return first(callThroughC(handler, [a, a]))
  raiseType('perform arithmetic on', a, 0)
}

export function len(a: LuaValue, _site?: number): number {
  if (typeof a === 'string') return a.length
  if (a instanceof LuaTable) return a.length()
  raiseType('get length of', a, 0)
}

/** Converts a string or a number to a text; undefined for other values. */
export function toText(value: LuaValue): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? numberToString(value) : undefined
}

export function concat(a: LuaValue, b: LuaValue, _site?: number): LuaValue {
  if (typeof a === 'string' && typeof b === 'string') return a + b
  const x = toText(a)
  const y = toText(b)
  if (x !== undefined && y !== undefined) return x + y
  const handler = metaOf(a, '__concat') ?? metaOf(b, '__concat')
  if (handler !== undefined) return first(callThroughC(handler, [a, b]))
  if (x === undefined) raiseType('concatenate', a, 0)
  raiseType('concatenate', b, 1)
}

export function rawEqual(a: LuaValue, b: LuaValue): boolean {
  return a === b
}

export function eq(a: LuaValue, b: LuaValue, _site?: number): boolean {
  if (a === b) return true
  if (!(a instanceof LuaTable) || !(b instanceof LuaTable)) return false
  const handler = sharedHandler(a, b, '__eq')
  return handler !== undefined && !isFalsy(first(callThroughC(handler, [a, b])))
}

/** The comparison metamethod of the operands; undefined unless both operands have the same one. */
function sharedHandler(a: LuaValue, b: LuaValue, event: string): LuaValue {
  const handler = metaOf(a, event)
  return handler !== undefined && handler === metaOf(b, event) ? handler : undefined
}

function raiseOrder(a: LuaValue, b: LuaValue): never {
  const x = typeName(a)
  const y = typeName(b)
  raise(x === y ? `attempt to compare two ${x} values` : `attempt to compare ${x} with ${y}`)
}

export function lt(a: LuaValue, b: LuaValue, _site?: number): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a < b
  if (typeof a === 'string' && typeof b === 'string') return a < b
  const handler = typeof a === typeof b ? sharedHandler(a, b, '__lt') : undefined
  if (handler === undefined) raiseOrder(a, b)
  return !isFalsy(first(callThroughC(handler, [a, b])))
}

export function le(a: LuaValue, b: LuaValue, _site?: number): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a <= b
  if (typeof a === 'string' && typeof b === 'string') return a <= b
  const handler = sharedHandler(a, b, '__le')
  if (handler !== undefined) return !isFalsy(first(callThroughC(handler, [a, b])))
  const reverse = sharedHandler(b, a, '__lt')
  if (reverse === undefined) raiseOrder(a, b)
  return isFalsy(first(callThroughC(reverse, [b, a])))
}

/**
 * Compares with `lt` and exchanged operands, because Lua compiles `a > b` as `b < a`, which is
 * visible in error messages. The caller evaluated `a` before `b`.
 */
export function gt(a: LuaValue, b: LuaValue, _site?: number): boolean {
  return lt(b, a)
}
export function ge(a: LuaValue, b: LuaValue, _site?: number): boolean {
  return le(b, a)
}
