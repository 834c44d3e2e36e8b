/** The coroutine library. */
import { yieldValues } from '../runtime/call-stack.ts'
import { Coroutine, runningCoroutine } from '../runtime/coroutine.ts'
import { LuaError, raiseArgument } from '../runtime/errors.ts'
import type { LuaResult, LuaValue } from '../runtime/values.ts'
import { library, several, single } from './arguments.ts'

function create(...args: LuaValue[]): Coroutine {
  const body = args[0]
  if (typeof body !== 'function' || body.isBuiltin) raiseArgument(1, 'Lua function expected')
  return new Coroutine(body)
}

function checkCoroutine(args: readonly LuaValue[]): Coroutine {
  const value = args[0]
  return value instanceof Coroutine ? value : raiseArgument(1, 'coroutine expected')
}

function resume(...args: LuaValue[]): LuaResult {
  const coroutine = checkCoroutine(args)
  try {
    return [true, ...coroutine.resume(args.slice(1))]
  } catch (error) {
    if (error instanceof LuaError && !error.fatal) return [false, error.settle()]
    throw error
  }
}

function wrap(...args: LuaValue[]): LuaValue {
  const coroutine = create(...args)
  return several((...values) => {
    try {
      return coroutine.resume(values)
    } catch (error) {
      if (!(error instanceof LuaError) || error.fatal) throw error
      // If the error is a text, the position of the wrapper's caller is added before the text.
      const value = error.settle()
      throw new LuaError(value, typeof value === 'string' || typeof value === 'number' ? 1 : 0)
    }
  })
}

export const coroutineLibrary = library({
  create: single(create),
  resume: several(resume),
  running: single(() => runningCoroutine() ?? undefined),
  status: single((...args) => checkCoroutine(args).status),
  wrap: single(wrap),
  yield: yieldValues,
})
