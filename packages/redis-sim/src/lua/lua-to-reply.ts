/**
 * Converts the result of a script to a reply. Reads tables without metamethods, field by field in
 * Redis's order.
 */
import {
  BigNumberReply,
  BooleanReply,
  DoubleReply,
  ErrorReply,
  MapReply,
  type Reply,
  SetReply,
  StatusReply,
  VerbatimReply,
} from '../resp/reply.ts'
import { field } from './runtime/indexing.ts'
import { beyond, tooDeep } from './runtime/limits.ts'
import { formatG } from './runtime/number-format.ts'
import { toText } from './runtime/operators.ts'
import { LuaTable } from './runtime/table.ts'
import type { LuaValue } from './runtime/values.ts'

/**
 * Maximum nesting of replies. Lua's C stack allows 7,995 levels. JavaScript's stack allows at least
 * 1,500, depending on what V8 has compiled, so a fixed limit keeps runs deterministic. Deeper
 * replies are not simulated.
 */
const maxDepth = 1000

const cString = (text: string) => text.split('\0', 1)[0]!
const oneLine = (text: string) => text.replace(/[\r\n]/g, ' ')

/**
 * Truncates to a `long long`. Values out of range become the smallest `long long`, as on x86-64.
 */
function integerReply(value: number): number | bigint {
  const whole = Math.trunc(value)
  if (Number.isSafeInteger(whole)) return whole + 0
  return whole >= -(2 ** 63) && whole < 2 ** 63 ? BigInt(whole) : -(2n ** 63n)
}

export function luaToReply(value: LuaValue, resp: 2 | 3, depth = 1): Reply {
  if (depth > maxDepth) {
    beyond(tooDeep)
    return new ErrorReply('ERR reached lua stack limit')
  }
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
      return integerReply(value)
    case 'boolean':
      if (resp === 3) return new BooleanReply(value)
      return value ? 1 : null
    default:
      return value instanceof LuaTable ? tableReply(value, resp, depth) : null
  }
}

function tableReply(table: LuaTable, resp: 2 | 3, depth: number): Reply {
  if (typeof table.getString('err') === 'string') {
    // Redis reads `err` a second time, now with metamethods. For a text, the result is the same.
    const message = cString(toText(field(table, 'err'))!)
    return new ErrorReply(oneLine(`-${message}`.replace(/^[\r\n]+|[\r\n]+$/g, '')).slice(1), wasCounted(table))
  }
  const ok = table.getString('ok')
  if (typeof ok === 'string') return new StatusReply(oneLine(cString(ok)))
  const double = table.getString('double')
  if (typeof double === 'number') return new DoubleReply(double, formatG(double, 17))
  const digits = table.getString('big_number')
  if (typeof digits === 'string') return new BigNumberReply(oneLine(digits))
  const verbatim = verbatimReply(table.getString('verbatim_string'))
  if (verbatim) return verbatim
  const map = table.getString('map')
  if (map instanceof LuaTable) return new MapReply(mapEntries(map, resp, depth))
  const set = table.getString('set')
  if (set instanceof LuaTable) return new SetReply(setMembers(set, resp, depth))
  return arrayReply(table, resp, depth)
}

/** True for an error that was already counted for a command. */
export function wasCounted(table: LuaTable): boolean {
  return field(table, 'ignore_error_stats_update') === true
}

function verbatimReply(value: LuaValue): VerbatimReply | null {
  if (!(value instanceof LuaTable)) return null
  const format = value.getString('format')
  const text = value.getString('string')
  if (typeof format !== 'string' || typeof text !== 'string') return null
  // Redis writes exactly three characters of the format.
  return new VerbatimReply(cString(format).slice(0, 3).padEnd(3) as 'txt', text)
}

function mapEntries(map: LuaTable, resp: 2 | 3, depth: number): Reply[] {
  const entries: Reply[] = []
  for (let at = map.nextPosition(-1); at >= 0; at = map.nextPosition(at)) {
    entries.push(luaToReply(map.keyAt(at), resp, depth + 4), luaToReply(map.valueAt(at), resp, depth + 3))
  }
  return entries
}

function setMembers(set: LuaTable, resp: 2 | 3, depth: number): Reply[] {
  const members: Reply[] = []
  for (let at = set.nextPosition(-1); at >= 0; at = set.nextPosition(at)) {
    members.push(luaToReply(set.keyAt(at), resp, depth + 3))
  }
  return members
}

/** Converts the elements before the first nil. */
function arrayReply(table: LuaTable, resp: 2 | 3, depth: number): Reply[] {
  const items: Reply[] = []
  for (let index = 1; ; index++) {
    const value = table.getNumber(index)
    if (value === undefined) return items
    items.push(luaToReply(value, resp, depth + 1))
  }
}
