/**
 * Finds the user's line from which a call comes: the innermost one in the stack. If a package
 * continues in a later turn, it is the line that began the work. Each promise, tick and timer
 * inherits this line, like the store of Node's `AsyncLocalStorage`. V8's own asynchronous stacks
 * only follow `await`.
 */
import { type AsyncHook, createHook, executionAsyncResource } from 'node:async_hooks'
import type { SourcePosition, UserSources } from './user-sources.ts'

/**
 * Packages rarely have more frames between a user's line and the work that it begins. A whole stack
 * trace costs more.
 */
const nearFrames = 32

export class CallOrigins {
  readonly #begunBy = new WeakMap<object, SourcePosition>()
  /** Turns that began without a line of the user. */
  readonly #bare = new WeakSet<object>()
  readonly #hook: AsyncHook

  constructor(private readonly sources: Pick<UserSources, 'caller'>) {
    this.#hook = createHook({
      init: (_id, _type, _trigger, resource) => {
        const turn = executionAsyncResource()
        const from = this.#near(turn) ?? this.#begunBy.get(turn)
        if (from !== undefined) this.#begunBy.set(resource, from)
      },
    })
  }

  /** Until `unfollow`, each promise of this thread costs a stack trace. */
  follow(): void {
    this.#hook.enable()
  }

  unfollow(): void {
    this.#hook.disable()
  }

  #near(turn: object): SourcePosition | null {
    const near = this.sources.caller(nearFrames)
    if (near !== null || this.#bare.has(turn)) return near
    const far = this.sources.caller()
    if (far === null) this.#bare.add(turn)
    return far
  }

  /** Null if no line of the user leads to the call. */
  caller(): SourcePosition | null {
    return this.sources.caller() ?? this.#begunBy.get(executionAsyncResource()) ?? null
  }
}
