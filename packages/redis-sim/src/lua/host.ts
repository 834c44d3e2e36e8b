import type { Reply } from '../resp/reply.ts'
import type { LuaMemory } from './memory.ts'

/** The interface between a running script and the server. Strings are byte strings. */
export interface LuaHost {
  /**
   * Executes one Redis command for `redis.call` and `redis.pcall`. An `ErrorReply` is returned, not
   * thrown; the caller decides whether to raise it.
   */
  call(args: readonly string[]): Reply
  /** `redis.log`. Levels are 0 (debug) to 3 (warning). */
  log(level: number, text: string): void
  /** `redis.setresp`: sets the protocol version (2 or 3) of the following replies of `call`. */
  setResp(version: 2 | 3): void
  /** `redis.sha1hex`. */
  sha1hex(text: string): string
  /**
   * Called periodically with the number of steps since the last call. May throw to stop the script
   * (SCRIPT KILL, step budget). A thrown `ErrorReply` becomes the script's error, which the script
   * cannot catch; other errors pass through `run` unchanged.
   */
  tick(steps: number): void
  /**
   * The Lua state that persists between scripts of this server. Without it, every execution starts
   * with a new state.
   */
  readonly memory?: LuaMemory
  /** `redis.set_repl`: 1 AOF, 2 replicas, 3 both, 0 none. */
  setRepl?(flags: number): void
  /** Called when the script hits a limit that real Redis does not have. */
  limited?(limit: string): void
  /**
   * Called with each executed line on which a statement begins, but only for libraries that were
   * loaded while this function was set.
   */
  readonly onLine?: ((line: number) => void) | undefined
  /**
   * For `redis.acl_check_cmd`: true if the caller may execute the command; null if the command does
   * not exist.
   */
  mayCall?(args: readonly string[]): boolean | null
}

/** The arguments of one execution. */
export interface LuaCall {
  readonly keys: readonly string[]
  readonly argv: readonly string[]
  readonly host: LuaHost
}

/** A compiled script. It keeps no state between executions. */
export interface CompiledScript {
  /** SHA-1 of the body, as 40 hex digits. */
  readonly sha: string
  readonly body: string
  /** Flags of a `#!lua flags=…` line; null without that line (compatibility mode). */
  readonly flags: readonly string[] | null
  /** Null, because a script is not a function of a library. */
  readonly functionName: null
  /**
   * Runs the script. Its errors are returned as an `ErrorReply` with Redis 7.0's exact text and
   * never thrown.
   */
  run(call: LuaCall): Reply
  /**
   * Execution counts by line number, starting at 1, since compilation. Null unless counting was
   * requested.
   */
  readonly lineCounts: Uint32Array | null
  /** Lines on which a statement begins, ascending: the denominator of line coverage. */
  readonly executableLines: readonly number[]
}
