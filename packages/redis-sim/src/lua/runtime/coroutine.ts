/**
 * Coroutines. Each coroutine has a call stack of generators on the heap (call-stack.ts). As in Lua
 * 5.1, a yield cannot cross a built-in function.
 */
import { currentDepths, newCoroutineStack, restoreDepths, resumeDepth } from './call.ts'
import type { CallStack, Turn } from './call-stack.ts'
import { LuaError } from './errors.ts'
import { all, type LuaFunction, type LuaValue } from './values.ts'

type Values = readonly LuaValue[]

export class Coroutine {
  readonly typeName = 'thread'
  status: 'suspended' | 'running' | 'normal' | 'dead' = 'suspended'
  private stack: CallStack | null = null

  constructor(private readonly body: LuaFunction) {}

  /** Continues the coroutine. Throws the error that the coroutine raised. */
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
      const { yielded, value } = this.turn(args)
      this.status = yielded ? 'suspended' : 'dead'
      return all(value)
    } catch (error) {
      this.status = 'dead'
      throw error
    } finally {
      running = resumer
      restoreDepths(depth)
      if (resumer) resumer.status = 'running'
    }
  }

  private turn(args: Values): Turn {
    if (this.stack !== null) {
      resumeDepth(this.stack.size)
      return this.stack.run(args)
    }
    if (this.body.generator === undefined) return { yielded: false, value: this.body(...args) }
    this.stack = newCoroutineStack(this.body, args)
    return this.stack.run([])
  }
}

let running: Coroutine | null = null
export const runningCoroutine = () => running
/** Called at the start of an execution: no coroutine is running. */
export function leaveCoroutines(): void {
  running = null
}
