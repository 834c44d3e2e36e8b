/** The base library as Redis 7.0 exposes it. */

import { callBackFirst } from '../runtime/call.ts'
import { LuaError, raise, raiseArgument, raisePlain } from '../runtime/errors.ts'
import { rawSet, stringMetatable } from '../runtime/indexing.ts'
import { toNumber } from '../runtime/operators.ts'
import { LuaTable } from '../runtime/table.ts'
import { ipairsStep, next as nextStep } from '../runtime/traversal.ts'
import { isFalsy, type LuaFunction, type LuaResult, type LuaValue, typeName } from '../runtime/values.ts'
import {
  checkAny,
  checkInt,
  checkOption,
  checkTable,
  optionalInt,
  optionalString,
  several,
  single,
  typeError,
} from './arguments.ts'
import { describeValue } from './describe-value.ts'
import { parseUnsigned } from './parse-unsigned.ts'

/** Maximum number of results of `unpack`, due to the limit of Lua's C stack. */
const maxResults = 8000

const metatableOf = (value: LuaValue): LuaTable | null =>
  value instanceof LuaTable ? value.metatable : typeof value === 'string' ? stringMetatable : null

function error(...args: LuaValue[]): never {
  const level = optionalInt(args, 2, 1)
  let value = args[0]
  const isText = typeof value === 'string' || typeof value === 'number'
  if (isText && level > 0) value = describeValue(value)
  throw new LuaError(value, isText && level > 0 ? level : 0)
}

function assert(...args: LuaValue[]): LuaResult {
  if (!isFalsy(checkAny(args, 1))) return args
  raise(optionalString(args, 2, 'assertion failed!').split('\0', 1)[0]!)
}

function select(...args: LuaValue[]): LuaResult {
  if (args[0] === '#') return args.length - 1
  let from = checkInt(args, 1)
  if (from < 0) from = args.length + from
  else if (from > args.length) from = args.length
  if (from < 1) raiseArgument(1, 'index out of range')
  return args.slice(from)
}

function unpack(...args: LuaValue[]): LuaResult {
  const table = checkTable(args, 1)
  const from = optionalInt(args, 2, 1)
  const to = args[2] === undefined ? table.length() : checkInt(args, 3)
  if (from > to) return []
  const count = to - from + 1
  if (count + args.length > maxResults) raise('too many results to unpack')
  return Array.from({ length: count }, (_, index) => table.getNumber(from + index))
}

function setMetatable(...args: LuaValue[]): LuaValue {
  const table = checkTable(args, 1)
  const metatable = args[1]
  if (args.length < 2 || !(metatable === undefined || metatable instanceof LuaTable)) {
    raiseArgument(2, 'nil or table expected')
  }
  if (table.meta('__metatable') !== undefined) raise('cannot change a protected metatable')
  if (table.readOnly) raisePlain('Attempt to modify a readonly table')
  table.metatable = metatable ?? null
  return table
}

function getMetatable(...args: LuaValue[]): LuaValue {
  const metatable = metatableOf(checkAny(args, 1))
  return metatable === null ? undefined : (metatable.getString('__metatable') ?? metatable)
}

function toNumberFunction(...args: LuaValue[]): LuaValue {
  const base = optionalInt(args, 2, 10)
  if (base === 10) return toNumber(checkAny(args, 1))
  const text = args[0]
  if (typeof text !== 'string' && typeof text !== 'number') typeError(args, 1, 'string')
  if (base < 2 || base > 36) raiseArgument(2, 'base out of range')
  return parseUnsigned(describeValue(text), base)
}

function toStringFunction(...args: LuaValue[]): LuaValue {
  const value = checkAny(args, 1)
  const handler = metatableOf(value)?.getString('__tostring')
  return handler === undefined ? describeValue(value) : callBackFirst(handler, [value])
}

function collectGarbage(...args: LuaValue[]): LuaValue {
  const options = ['stop', 'restart', 'collect', 'count', 'step', 'setpause', 'setstepmul']
  const option = checkOption(args, 1, 'collect', options)
  optionalInt(args, 2, 0)
  if (option === 'count') return heapKilobytes
  if (option === 'setpause' || option === 'setstepmul') return 200
  return option === 'step' ? true : 0
}
/**
 * The result of `collectgarbage('count')`: an arbitrary constant, because the simulation has no Lua
 * heap.
 */
const heapKilobytes = 64

const pairs: LuaFunction = (...args) => [nextStep, checkTable(args, 1), undefined]
const ipairs: LuaFunction = (...args) => [ipairsStep, checkTable(args, 1), 0]
export const baseFunctions: Record<string, LuaValue> = {
  _VERSION: 'Lua 5.1',
  assert: several(assert),
  collectgarbage: single(collectGarbage),
  error: several(error),
  gcinfo: single(() => heapKilobytes),
  getmetatable: single(getMetatable),
  ipairs: several(ipairs),
  next: nextStep,
  pairs: several(pairs),
  rawequal: single((...args) => checkAny(args, 1) === checkAny(args, 2)),
  rawget: single((...args) => {
    const table = checkTable(args, 1)
    return table.get(checkAny(args, 2))
  }),
  rawset: single((...args) => {
    const table = checkTable(args, 1)
    rawSet(table, checkAny(args, 2), checkAny(args, 3))
    return table
  }),
  select: several(select),
  setmetatable: single(setMetatable),
  tonumber: single(toNumberFunction),
  tostring: single(toStringFunction),
  type: single((...args) => typeName(checkAny(args, 1))),
  unpack: several(unpack),
}
