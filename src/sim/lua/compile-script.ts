/** A script as Redis compiles and runs it: once, and then many times. */
import { createHash } from 'node:crypto'
import './libraries.ts'
import { type Chunk, compileChunk } from './compile/chunk.ts'
import { execution } from './execution.ts'
import { globals } from './globals.ts'
import type { CompiledScript, LuaCall } from './host.ts'
import { handleError } from './lib/redis-error-handler.ts'
import { luaToReply } from './lua-to-reply.ts'
import { createLuaMemory } from './memory.ts'
import { ErrorReply, type Reply } from './reply.ts'
import { outermost, restoreDepths } from './runtime/call.ts'
import { leaveCoroutines } from './runtime/coroutine.ts'
import { LuaError } from './runtime/errors.ts'
import { field } from './runtime/indexing.ts'
import { toText } from './runtime/operators.ts'
import { LuaTable } from './runtime/table.ts'
import { first, type LuaValue, resetAddresses } from './runtime/values.ts'
import { parseShebang } from './shebang.ts'
import { LuaSyntaxError } from './syntax/lexer.ts'

export function compileScript(body: string, options: { countLines?: boolean } = {}): CompiledScript | ErrorReply {
  const shebang = parseShebang(body)
  if (shebang instanceof ErrorReply) return shebang
  const sha = createHash('sha1').update(body, 'latin1').digest('hex')
  try {
    const source = body.slice(shebang.length)
    const chunk = compileChunk(source, 'user_script', '@user_script', options.countLines ?? false)
    return new Script(sha, body, shebang.flags, chunk)
  } catch (error) {
    if (!(error instanceof LuaSyntaxError)) throw error
    const text = error.message.split('\0', 1)[0]!.replace(/[\r\n]/g, ' ')
    return new ErrorReply(`ERR Error compiling script (new function): ${text}`)
  }
}

class Script implements CompiledScript {
  constructor(
    readonly sha: string,
    readonly body: string,
    readonly flags: readonly string[] | null,
    private readonly chunk: Chunk,
  ) {}

  get lineCounts(): Uint32Array | null {
    return this.chunk.lineCounts
  }

  get executableLines(): readonly number[] {
    return this.chunk.executableLines
  }

  run(call: LuaCall): Reply {
    begin(call)
    try {
      return luaToReply(first(this.chunk.main()), execution.resp)
    } catch (error) {
      if (error instanceof LuaError) return this.errorReply(handleError(error))
      // A reply nested deeper than JavaScript's stack, though less deep than Lua's, which holds 7,994 levels.
      if (error instanceof RangeError) return new ErrorReply('ERR reached lua stack limit')
      throw error
    }
  }

  private errorReply(table: LuaTable): ErrorReply {
    const text = (key: string) => toText(field(table, key))?.split('\0', 1)[0]
    const source = text('source')
    const line = text('line')
    const place = source === undefined || line === undefined ? '' : ` script: ${this.sha}, on ${source}:${line}.`
    // sdscatfmt prints a missing message as nothing.
    const message = `-${text('err') ?? ''}${place}`
    return new ErrorReply(
      message
        .replace(/^[\r\n]+|[\r\n]+$/g, '')
        .replace(/[\r\n]/g, ' ')
        .slice(1),
    )
  }
}

/** Nothing of an earlier execution may be seen by this one. */
function begin({ keys, argv, host }: LuaCall): void {
  execution.KEYS = LuaTable.fromList(keys.slice() as LuaValue[])
  execution.ARGV = LuaTable.fromList(argv.slice() as LuaValue[])
  globals.set('KEYS', execution.KEYS)
  globals.set('ARGV', execution.ARGV)
  execution.host = host
  execution.resp = 2
  execution.memory = host.memory ?? createLuaMemory()
  resetAddresses()
  restoreDepths(outermost)
  leaveCoroutines()
}
