/** Compiles a script once, for any number of runs, as Redis does. */
import { createHash } from 'node:crypto'
import './libraries.ts'
import { ErrorReply, type Reply } from '../resp/reply.ts'
import { type Chunk, compileChunk } from './compile/chunk.ts'
import type { LineWatch } from './compile/line-watch.ts'
import type { CompiledScript, LuaCall } from './host.ts'
import { runProtected } from './run-protected.ts'
import { parseShebang } from './shebang.ts'
import { LuaSyntaxError } from './syntax/lexer.ts'

export function compileScript(body: string, lines: LineWatch | null = null): CompiledScript | ErrorReply {
  const shebang = parseShebang(body)
  if (shebang instanceof ErrorReply) return shebang
  const sha = createHash('sha1').update(body, 'latin1').digest('hex')
  try {
    const source = body.slice(shebang.length)
    const chunk = compileChunk(source, 'user_script', '@user_script', lines)
    return new Script(sha, body, shebang.flags, chunk)
  } catch (error) {
    if (!(error instanceof LuaSyntaxError)) throw error
    const text = error.message.split('\0', 1)[0]!.replace(/[\r\n]/g, ' ')
    return new ErrorReply(`ERR Error compiling script (new function): ${text}`)
  }
}

class Script implements CompiledScript {
  readonly functionName = null

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
    return runProtected(this.sha, call, null, () => this.chunk.main())
  }
}
