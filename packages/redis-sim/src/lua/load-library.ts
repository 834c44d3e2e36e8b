/**
 * Compiles and runs a function library, as FUNCTION LOAD does. Source: function_lua.c of Redis 7.0.
 */

import { ErrorReply, type Reply } from '../resp/reply.ts'
import { type Chunk, compileChunk } from './compile/chunk.ts'
import { functionEnvironment } from './function-environment.ts'
import type { LuaCall, LuaHost } from './host.ts'
import { collect, type Registered } from './lib/register-function.ts'
import { begin, runProtected } from './run-protected.ts'
import { LuaError } from './runtime/errors.ts'
import { field } from './runtime/indexing.ts'
import { toText } from './runtime/operators.ts'
import { LuaTable } from './runtime/table.ts'
import { LuaSyntaxError } from './syntax/lexer.ts'

export interface LoadedFunction {
  /** The name under which the library registered the function. */
  readonly functionName: string
  readonly description: string | null
  readonly flags: readonly string[]
  /** Lines of the whole library on which a statement begins, ascending. */
  readonly executableLines: readonly number[]
  /**
   * Runs the function, like `run` of a script. The library's local variables persist between calls.
   */
  run(call: LuaCall): Reply
}

/**
 * `source` is the library without the text of its shebang line. The line feed after the shebang
 * remains, so line numbers are preserved.
 */
export function loadLibrary(source: string, host: LuaHost): readonly LoadedFunction[] | ErrorReply {
  let chunk: Chunk
  try {
    chunk = compileChunk(source, 'user_function', '@user_function', host.onLine ?? null, functionEnvironment)
  } catch (error) {
    if (error instanceof LuaSyntaxError) return failed('compiling function', error.message)
    throw error
  }
  begin({ keys: [], argv: [], host }, functionEnvironment)
  try {
    return [...collect(chunk.main).values()].map((one) => loaded(one, chunk))
  } catch (error) {
    if (error instanceof LuaError) return failed('registering functions', messageOf(error))
    throw error
  }
}

function loaded({ name, description, flags, callback }: Registered, { executableLines }: Chunk): LoadedFunction {
  return {
    executableLines,
    functionName: name,
    description,
    flags,
    run: (call) => runProtected(name, call, functionEnvironment, callback),
  }
}

function messageOf(error: LuaError): string {
  const value = error.settle()
  const message = toText(value instanceof LuaTable ? field(value, 'err') : value) ?? ''
  return value instanceof LuaTable ? message : `ERR ${message}`
}

function failed(doing: string, message: string): ErrorReply {
  const text = message
    .split('\0', 1)[0]!
    .replace(/[\r\n]+$/, '')
    .replace(/[\r\n]/g, ' ')
  return new ErrorReply(`ERR Error ${doing}: ${text}`)
}
