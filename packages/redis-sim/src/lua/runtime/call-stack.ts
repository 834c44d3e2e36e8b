/**
 * Calls of Lua functions that are kept on the heap instead of on JavaScript's stack, which holds
 * too few: those of coroutines, and those of a recursion that goes deep. The functions' twins are
 * generators, which yield what they want to have called; a tail call takes its caller's place.
 */
import { LuaError, raiseType } from './errors.ts'
import { LuaTable } from './table.ts'
import { type LuaFunction, type LuaGenerator, type LuaResult, type LuaValue, none } from './values.ts'

/**
 * A generator yields this to have `request`'s callee called; anything else that it yields is
 * coroutine.yield's.
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

/** The function behind a callable table, which then gets the table as its first argument. */
export function callHandler(f: LuaValue): LuaFunction {
  const handler = f instanceof LuaTable ? f.meta('__call') : undefined
  if (typeof handler !== 'function') raiseType('call', f)
  return handler
}

/**
 * `coroutine.yield` where no yield is possible. Redis runs scripts behind a C call, so that says so
 * at top level too.
 */
export const yieldValues: LuaFunction = Object.assign(
  () => {
    throw new LuaError('attempt to yield across metamethod/C-call boundary', 0)
  },
  { isBuiltin: true },
)

/** Counts the calls that are under way. `enter` throws where there are too many. */
export interface Levels {
  enter(): void
  leave(): void
}

interface Frame {
  readonly generator: LuaGenerator
  /** Callers whose place it took. */
  readonly tailCalls: number
}

/** `yielded`: the values of coroutine.yield; else the function's result. */
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
    /** It is a coroutine's. */
    private readonly mayYield: boolean,
  ) {
    this.top = { generator: first, tailCalls: 0 }
  }

  /** Calls that are under way, but for the first. */
  get size(): number {
    return this.below.length
  }

  /** Goes on until it returns, throws or yields. `sent`: what the coroutine was resumed with. */
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

  /** What was requested: null where that is a frame of its own now. */
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
