/**
 * Keeps calls of Lua functions on the heap: the calls of coroutines, and of recursion that is too
 * deep for JavaScript's stack. For this purpose, each function has a twin: a generator that yields
 * each call that it requests. A tail call replaces its caller's frame.
 */
import { LuaError, raiseType } from './errors.ts'
import { LuaTable } from './table.ts'
import { type LuaFunction, type LuaGenerator, type LuaResult, type LuaValue, none } from './values.ts'

/**
 * A generator yields this symbol to request the call that it passed to `request`. Any other yielded
 * value belongs to coroutine.yield.
 */
export const requested = Symbol('requested')

let callee: LuaValue
let callArguments: readonly LuaValue[] = none
let isTail = false

export function request(f: LuaValue, args: readonly LuaValue[], _site?: number): typeof requested {
  callee = f
  callArguments = args
  isTail = false
  return requested
}

export function requestTail(f: LuaValue, args: readonly LuaValue[], _site?: number): typeof requested {
  callee = f
  callArguments = args
  isTail = true
  return requested
}

/** The function that handles a call of a callable table. The table becomes its first argument. */
export function callHandler(f: LuaValue): LuaFunction {
  const handler = f instanceof LuaTable ? f.meta('__call') : undefined
  if (typeof handler !== 'function') raiseType('call', f)
  return handler
}

/**
 * `coroutine.yield` outside a coroutine. The message is the same at top level, because Redis runs
 * scripts behind a C call.
 */
export const yieldValues: LuaFunction = Object.assign(
  () => {
    throw new LuaError('attempt to yield across metamethod/C-call boundary', 0)
  },
  { isBuiltin: true },
)

/** Counts active calls. `enter` throws if too many calls are active. */
export interface Levels {
  enter(): void
  leave(): void
}

interface Frame {
  readonly generator: LuaGenerator
  /** Number of callers that were replaced by tail calls in this frame. */
  readonly tailCalls: number
}

/**
 * If `yielded` is true, `value` was passed to coroutine.yield; otherwise it is the function's
 * result.
 */
export interface Turn {
  readonly yielded: boolean
  readonly value: LuaResult
}

export class CallStack {
  private readonly below: Frame[] = []
  private top: Frame

  constructor(
    first: LuaGenerator,
    private readonly levels: Levels,
    /** True for the stack of a coroutine. */
    private readonly mayYield: boolean,
  ) {
    this.top = { generator: first, tailCalls: 0 }
  }

  /** Number of active calls, except the first. */
  get size(): number {
    return this.below.length
  }

  /**
   * Runs until the first function returns, throws or yields. `sent` are the values with which the
   * coroutine was resumed.
   */
  run(sent: readonly LuaValue[]): Turn {
    let value: LuaResult = sent
    let failure: { readonly error: unknown } | null = null
    for (;;) {
      let step: IteratorResult<readonly LuaValue[] | typeof requested, LuaResult>
      try {
        const { generator } = this.top
        step = failure === null ? generator.next(value) : generator.throw(failure.error)
        failure = null
      } catch (error) {
        if (error instanceof LuaError) error.passTailCalls(this.top.tailCalls)
        if (this.below.length === 0) throw error
        this.pop()
        failure = { error }
        continue
      }
      if (step.done) {
        if (this.below.length === 0) return { yielded: false, value: step.value }
        value = step.value
        this.pop()
        continue
      }
      try {
        if (step.value !== requested) {
          if (this.mayYield) return { yielded: true, value: step.value }
          yieldValues()
        }
        const done = this.begin()
        if (done === null) value = none
        else if (done.yielded) return done
        else value = done.value
      } catch (error) {
        failure = { error }
      }
    }
  }

  /** Starts the requested call. Returns null if the call got its own frame. */
  private begin(): Turn | null {
    let [f, args] = [callee, callArguments]
    const tail = isTail
    if (typeof f !== 'function') {
      args = [f, ...args]
      f = callHandler(f)
    }
    if (f === yieldValues && this.mayYield) return { yielded: true, value: args }
    if (f.generator === undefined) return { yielded: false, value: f(...args) }
    if (!tail) this.levels.enter()
    const generator = f.generator(...args)
    if (!tail) this.below.push(this.top)
    this.top = { generator, tailCalls: tail ? this.top.tailCalls + 1 : 0 }
    return null
  }

  private pop(): void {
    this.top = this.below.pop()!
    this.levels.leave()
  }
}
