/** Coroutines: generators of the functions' twins. A yield cannot cross a built-in function, as in Lua 5.1. */
import { callHandler, currentDepths, restoreDepths } from './call.ts'
import { LuaError } from './errors.ts'
import { all, type LuaFunction, type LuaResult, type LuaValue } from './values.ts'

type Values = readonly LuaValue[]

export class Coroutine {
  readonly typeName = 'thread'
  status: 'suspended' | 'running' | 'normal' | 'dead' = 'suspended'
  private generator: Generator<Values, LuaResult, Values> | null = null

  constructor(private readonly body: LuaFunction) {}

  /** Throws the coroutine's error. */
  resume(args: Values): Values {
    if (this.status !== 'suspended') {
      throw new LuaError(`cannot resume ${this.status} coroutine`, 0)
    }
    const resumer = running
    const depth = currentDepths()
    if (resumer) resumer.status = 'normal'
    running = this
    this.status = 'running'
    try {
      const turn = this.generator ? this.generator.next(args) : this.start(args)
      this.status = turn.done ? 'dead' : 'suspended'
      return turn.done ? all(turn.value) : (turn.value as Values)
    } catch (error) {
      this.status = 'dead'
      throw error
    } finally {
      running = resumer
      restoreDepths(depth)
      if (resumer) resumer.status = 'running'
    }
  }

  private start(args: Values): IteratorResult<Values, LuaResult> {
    const { generator } = this.body
    if (!generator) return { done: true, value: this.body(...args) }
    this.generator = generator(...args)
    return this.generator.next([])
  }
}

let running: Coroutine | null = null
export const runningCoroutine = () => running
/** For the start of an execution. */
export function leaveCoroutines(): void {
  running = null
}

/** `coroutine.yield` where no yield is possible. Redis runs scripts behind a C call, so that says so at top level too. */
export const yieldValues: LuaFunction = Object.assign(
  () => {
    throw new LuaError('attempt to yield across metamethod/C-call boundary', 0)
  },
  { isBuiltin: true },
)

/** A call inside a coroutine: what is written in Lua may yield, the rest is called as anywhere. */
export function* callYielding(f: LuaValue, args: Values, _site?: number): Generator<Values, LuaResult, Values> {
  if (typeof f !== 'function') {
    const handler = callHandler(f)
    args = [f, ...args]
    f = handler
  }
  if (f === yieldValues) return yield args
  return f.generator ? yield* f.generator(...args) : f(...args)
}
