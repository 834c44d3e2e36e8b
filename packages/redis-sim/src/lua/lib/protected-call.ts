/**
 * `pcall` and `xpcall`. Redis's `pcall` converts an error table with a text in `err` to that text.
 */
import { callThroughC, currentDepths, restoreDepths } from '../runtime/call.ts'
import { LuaError, stackOverflow } from '../runtime/errors.ts'
import { field } from '../runtime/indexing.ts'
import { beyondJavaScript } from '../runtime/limits.ts'
import { toText } from '../runtime/operators.ts'
import { LuaTable } from '../runtime/table.ts'
import { all, first, type LuaResult, type LuaValue } from '../runtime/values.ts'
import { checkAny, several } from './arguments.ts'

/** Returns the error value if the script may catch it; rethrows otherwise. */
function caught(error: unknown): LuaValue {
  if (error instanceof LuaError && !error.fatal) return error.settle()
  if (error instanceof RangeError) {
    beyondJavaScript(error)
    return stackOverflow
  }
  throw error
}

function protectedCall(...args: LuaValue[]): LuaResult {
  const depth = currentDepths()
  try {
    // Without arguments, Redis calls a placeholder, which is not callable.
    return [true, ...all(callThroughC(args.length === 0 ? true : args[0], args.slice(1)))]
  } catch (error) {
    const value = caught(error)
    restoreDepths(depth)
    if (!(value instanceof LuaTable)) return [false, value]
    const text = field(value, 'err')
    // If `err` is not a text, Redis leaves its value on the stack, so `pcall` returns this value as
    // well.
    return toText(text) === undefined ? [false, value, text] : [false, text]
  }
}

function handledCall(...args: LuaValue[]): LuaResult {
  const handler = checkAny(args, 2)
  const depth = currentDepths()
  try {
    return [true, ...all(callThroughC(args[0], []))]
  } catch (error) {
    const value = caught(error)
    restoreDepths(depth)
    return [false, handle(handler, value)]
  }
}

function handle(handler: LuaValue, value: LuaValue): LuaValue {
  if (typeof handler !== 'function') return 'error in error handling'
  const depth = currentDepths()
  try {
    return first(callThroughC(handler, [value]))
  } catch (error) {
    caught(error)
    restoreDepths(depth)
    return 'error in error handling'
  }
}

export const protectedCallFunctions = { pcall: several(protectedCall), xpcall: several(handledCall) }
