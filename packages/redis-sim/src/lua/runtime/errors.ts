/**
 * A Lua error on its way up. Positions (`user_script:3:`) and names (`local 'x'`) are not known
 * where an error is raised; the catch block of each compiled function fills them in from its
 * current site, so that running code keeps nothing but a small integer.
 */
import { beyondJavaScript } from './limits.ts'
import { type LuaValue, typeName } from './values.ts'

/** What a compiled function knows of the place it is at. */
export interface Site {
  readonly line: number
  /**
   * How Lua names the operands, or the callee: `local 'x'`, `field 'y'`; null when it has no name
   * for them.
   */
  readonly names: readonly (string | null)[]
  /** The name that `bad argument #1 to '…'` shows; null where nothing is called by name. */
  readonly callee: string | null
  /** A tail call: when the callee is written in Lua, this frame is gone. */
  readonly tail: boolean
}

export interface ChunkInfo {
  /** As error messages show it: `user_script`. */
  readonly name: string
  /** As the `source` field shows it: `@user_script`. */
  readonly source: string
  readonly sites: readonly Site[]
}

/**
 * Makes the text once the frame that was running is known; `site` is null when that is a built-in
 * function.
 */
export type Explain = (site: Site | null) => string

export class LuaError {
  /** Line and source of the Lua function that was running, for Redis's error handler. */
  line = 0
  source: string | null = null
  private passedLua = false
  /** Not to be caught by the script: it was killed. */
  fatal = false

  constructor(
    public value: LuaValue,
    /**
     * How many levels up the position to be put in front of the text is found; 0: none is missing.
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
    // A frame that a tail call took away counts as a level of which nothing is known.
    this.step(lost ? '' : `${chunk.name}:${site.line}: `)
    this.passedLua = true
  }

  /** Each caller whose place a tail call took counts as a level of which nothing is known. */
  passTailCalls(count: number): void {
    for (let passed = 0; passed < count && this.level > 0; passed++) this.step('')
  }

  /** A built-in function is one level too, without a line. */
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

  /** Nobody is left who could add a position. */
  settle(): LuaValue {
    this.explainAt(null)
    this.level = 0
    return this.value
  }
}

/** As `luaL_error`: the text gets the position of the Lua function that runs. */
export function raise(message: string): never {
  throw new LuaError(message, 1)
}

/** As `luaG_runerror` inside a built-in function: the text gets no position. */
export function raisePlain(message: string): never {
  throw new LuaError(message, 0)
}

/**
 * As `luaG_typeerror`: `attempt to index local 'x' (a nil value)`; `operand` selects the site's
 * name.
 */
export function raiseType(operation: string, culprit: LuaValue, operand = 0): never {
  const type = typeName(culprit)
  throw new LuaError(undefined, 1, (site) => {
    const name = site?.names[operand]
    return `attempt to ${operation} ${name ? `${name} (a ${type} value)` : `a ${type} value`}`
  })
}

/** As `luaL_argerror`: the function's name is the one that the caller used. */
export function raiseArgument(position: number, message: string): never {
  throw new LuaError(undefined, 1, (site) => {
    const name = site?.callee ?? '?'
    if (!site?.names[0]?.startsWith('method')) return `bad argument #${position} to '${name}' (${message})`
    if (position === 1) return `calling '${name}' on bad self (${message})`
    return `bad argument #${position - 1} to '${name}' (${message})`
  })
}

export const stackOverflow = 'stack overflow'

/** For catch blocks of compiled functions: what to throw on. Errors of the host pass untouched. */
export function unwind(error: unknown, siteIndex: number, chunk: ChunkInfo): unknown {
  if (error instanceof RangeError) beyondJavaScript(error)
  const raised = error instanceof RangeError ? new LuaError(stackOverflow, 1) : error
  if (raised instanceof LuaError) raised.passLuaFunction(chunk, siteIndex)
  return raised
}
