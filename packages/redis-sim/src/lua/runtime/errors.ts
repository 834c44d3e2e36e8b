/**
 * A propagating Lua error. Positions (`user_script:3:`) and names (`local 'x'`) are unknown where
 * the error is raised; the catch block of each compiled function adds them from its current site.
 * Running code thus only maintains the index of its site.
 */
import { beyondJavaScript } from './limits.ts'
import { type LuaValue, typeName } from './values.ts'

/** A position in a compiled function that can raise an error. */
export interface Site {
  readonly line: number
  /** Lua's names of the operands or the callee: `local 'x'`, `field 'y'`; null if unnamed. */
  readonly names: readonly (string | null)[]
  /**
   * The function name in `bad argument #1 to '…'`; null if the site is not a call of a named
   * function.
   */
  readonly callee: string | null
  /** True for a tail call. If the callee is written in Lua, this frame no longer exists. */
  readonly tail: boolean
}

export interface ChunkInfo {
  /** The name in error messages: `user_script`. */
  readonly name: string
  /** The `source` field of errors: `@user_script`. */
  readonly source: string
  readonly sites: readonly Site[]
}

/** Builds the text when the running frame is known. `site` is null for a built-in function. */
export type Explain = (site: Site | null) => string

export class LuaError {
  /** Line and source of the Lua function that raised the error, for Redis's error handler. */
  line = 0
  source: string | null = null
  private passedLua = false
  /** True if the script was killed and must not catch the error. */
  fatal = false

  constructor(
    public value: LuaValue,
    /**
     * Number of levels up to the frame whose position prefixes the text; 0 if the text needs no
     * position.
     */
    private level: number,
    private explain: Explain | null = null,
  ) {}

  passLuaFunction(chunk: ChunkInfo, siteIndex: number): void {
    const site = chunk.sites[siteIndex]!
    this.explainAt(this.passedLua ? null : site)
    const lost = site.tail && this.passedLua
    if (this.source === null) {
      this.source = chunk.source
      this.line = site.line
    }
    // A frame replaced by a tail call counts as a level without information.
    this.step(lost ? '' : `${chunk.name}:${site.line}: `)
    this.passedLua = true
  }

  /** Each caller replaced by a tail call counts as a level without information. */
  passTailCalls(count: number): void {
    for (let passed = 0; passed < count && this.level > 0; passed++) this.step('')
  }

  /** A built-in function counts as a level without a line. */
  passBuiltin(): void {
    this.explainAt(null)
    this.step('')
    this.passedLua = false
  }

  private explainAt(site: Site | null): void {
    if (this.explain !== null) this.value = this.explain(site)
    this.explain = null
  }

  private step(position: string): void {
    if (this.level > 0 && --this.level === 0) this.value = position + this.value
  }

  /** Completes the error, because no frame can add a position any more. */
  settle(): LuaValue {
    this.explainAt(null)
    this.level = 0
    return this.value
  }
}

/** Like `luaL_error`: prefixes the position of the running Lua function. */
export function raise(message: string): never {
  throw new LuaError(message, 1)
}

/** Like `luaG_runerror` inside a built-in function: adds no position. */
export function raisePlain(message: string): never {
  throw new LuaError(message, 0)
}

/**
 * Like `luaG_typeerror`: `attempt to index local 'x' (a nil value)`. `operand` selects a name of
 * the site.
 */
export function raiseType(operation: string, culprit: LuaValue, operand = 0): never {
  const type = typeName(culprit)
  throw new LuaError(undefined, 1, (site) => {
    const name = site?.names[operand]
    return `attempt to ${operation} ${name ? `${name} (a ${type} value)` : `a ${type} value`}`
  })
}

/** Like `luaL_argerror`: uses the function name at the call site. */
export function raiseArgument(position: number, message: string): never {
  throw new LuaError(undefined, 1, (site) => {
    const name = site?.callee ?? '?'
    if (!site?.names[0]?.startsWith('method')) return `bad argument #${position} to '${name}' (${message})`
    if (position === 1) return `calling '${name}' on bad self (${message})`
    return `bad argument #${position - 1} to '${name}' (${message})`
  })
}

export const stackOverflow = 'stack overflow'

/**
 * Called in catch blocks of compiled functions; returns the error to rethrow. Errors of the host
 * are returned unchanged.
 */
export function unwind(error: unknown, siteIndex: number, chunk: ChunkInfo): unknown {
  if (error instanceof RangeError) beyondJavaScript(error)
  const raised = error instanceof RangeError ? new LuaError(stackOverflow, 1) : error
  if (raised instanceof LuaError) raised.passLuaFunction(chunk, siteIndex)
  return raised
}
