/**
 * Records the lines that scripts and functions of one server execute, for run traces. Recording
 * does not change their replies, durations and side effects.
 */
import { type CompiledScript, compileScript, type LoadedFunction, type LuaCall, type LuaHost } from '../lua/index.ts'
import { ErrorReply, type Reply } from '../resp/reply.ts'

/**
 * One execution of a script or function. Line numbers start at 1 at the beginning of the script or
 * library.
 */
export interface WatchedScript {
  /** Null for a script. */
  readonly functionName: string | null
  /** For a function, the code of its library. */
  readonly body: string
  /** Lines on which a statement begins, ascending. */
  readonly statements: readonly number[]
  /** Executed lines, including evaluated `elseif` conditions, ascending. */
  readonly ran: readonly number[]
  /** The calls of Redis commands, in order. */
  readonly calls: readonly WatchedCall[]
}

export interface WatchedCall {
  /** The line on which the calling statement begins. */
  readonly line: number
  readonly args: readonly string[]
  readonly reply: Reply
}

export class ScriptWatch {
  readonly #reported = new Map<string, CompiledScript>()
  readonly #executions: WatchedScript[] = []
  #line = 0
  #ran = new Set<number>()

  readonly onLine = (line: number): void => {
    this.#line = line
    this.#ran.add(line)
  }

  /**
   * Runs a script or function and records the execution. For a function, `code` is the code of its
   * library.
   */
  run(script: CompiledScript | LoadedFunction, call: LuaCall, code: string | undefined): Reply {
    this.#ran = new Set()
    const calls: WatchedCall[] = []
    const host = this.#listening(call.host, calls)
    const reported = script.functionName === null ? this.#reporting(script) : script
    const reply = reported.run({ ...call, host })
    const ran = [...this.#ran].sort((a, b) => a - b)
    const body = script.functionName === null ? script.body : (code ?? '')
    this.#executions.push({
      ...{ functionName: script.functionName, body, statements: script.executableLines, ran, calls },
    })
    return reply
  }

  /** Returns and clears the recorded executions. */
  take(): WatchedScript[] {
    return this.#executions.splice(0)
  }

  /**
   * Compiles the script again, so that it reports its lines. Libraries are compiled this way when
   * they are loaded (`LuaHost.onLine`).
   */
  #reporting(script: CompiledScript): CompiledScript {
    const known = this.#reported.get(script.sha)
    if (known !== undefined) return known
    const reported = compileScript(script.body, this.onLine)
    if (reported instanceof ErrorReply)
      throw new Error(`a script that was compiled does not compile: ${reported.message}`)
    this.#reported.set(script.sha, reported)
    return reported
  }

  #listening(host: LuaHost, calls: WatchedCall[]): LuaHost {
    return {
      memory: host.memory!,
      call: (args) => {
        const line = this.#line
        const reply = host.call(args)
        calls.push({ line, args, reply })
        return reply
      },
      log: (level, text) => host.log(level, text),
      setResp: (version) => host.setResp(version),
      sha1hex: (text) => host.sha1hex(text),
      tick: (steps) => host.tick(steps),
      setRepl: (flags) => host.setRepl!(flags),
      limited: (limit) => host.limited!(limit),
      mayCall: (args) => host.mayCall!(args),
    }
  }
}
