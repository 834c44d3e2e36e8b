import type { Reply } from '../resp/reply.ts'
import type { LuaMemory } from './memory.ts'

/** What a running script reaches outside of itself. Strings are byte strings. */
export interface LuaHost {
  /**
   * Executes one Redis command for `redis.call` and `redis.pcall`. An `ErrorReply` is an answer,
   * not a throw: the caller decides whether it raises.
   */
  call(args: readonly string[]): Reply
  /** `redis.log`; levels 0 (debug) to 3 (warning). */
  log(level: number, text: string): void
  /** `redis.setresp`: the protocol version (2 or 3) in which `call` answers from now on. */
  setResp(version: 2 | 3): void
  /** `redis.sha1hex`. */
  sha1hex(text: string): string
  /**
   * Called at intervals of executed steps with the steps since the last call; throws to stop the
   * script (SCRIPT KILL, step budget). May be empty. A thrown `ErrorReply` becomes the script's
   * error, which the script cannot catch; anything else passes through `run` as it is.
   */
  tick(steps: number): void
  /**
   * What this server's scripts leave behind for the next one; without it every execution starts
   * fresh.
   */
  readonly memory?: LuaMemory
  /** `redis.set_repl`: 1 AOF, 2 replicas, 3 both, 0 none. */
  setRepl?(flags: number): void
  /** The script came upon a limit that Redis does not have. */
  limited?(limit: string): void
  /**
   * Told each line at which a statement begins, when it is executed: of libraries that were loaded
   * while it was there.
   */
  readonly onLine?: ((line: number) => void) | undefined
  /**
   * For `redis.acl_check_cmd`: whether the caller may execute it; null where there is no such
   * command.
   */
  mayCall?(args: readonly string[]): boolean | null
}

/** One execution. */
export interface LuaCall {
  readonly keys: readonly string[]
  readonly argv: readonly string[]
  readonly host: LuaHost
}

/**
 * A script that was compiled once; executed many times, each time with fresh globals as Redis
 * promises.
 */
export interface CompiledScript {
  /** 40 hex digits: SHA-1 of the body. */
  readonly sha: string
  readonly body: string
  /**
   * Flags of a `#!lua flags=…` line; null when the script has no such line (and so runs in
   * compatibility mode).
   */
  readonly flags: readonly string[] | null
  /** It is no function of a library. */
  readonly functionName: null
  /**
   * Runs it; what went wrong comes back as an `ErrorReply` with Redis 7.0's exact text. Never
   * throws for a script's fault.
   */
  run(call: LuaCall): Reply
  /**
   * Executed-line counts, by line number from 1, since compilation; filled when it was asked to
   * count them.
   */
  readonly lineCounts: Uint32Array | null
  /** Lines that hold a statement, ascending: the denominator of line coverage. */
  readonly executableLines: readonly number[]
}
