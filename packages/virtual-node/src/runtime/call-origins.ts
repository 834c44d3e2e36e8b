/**
 * The user's line from which a call comes: the deepest one in the stack. If a package goes on in a
 * later turn, it is the line that began that work. Each promise, tick and timer inherits it, as the
 * store of Node's `AsyncLocalStorage`. V8's own asynchronous stacks follow `await` alone.
 */
import { type AsyncHook, createHook, executionAsyncResource } from 'node:async_hooks'
import type { SourcePosition, UserSources } from './user-sources.ts'

/** Packages seldom put more between a user's line and what it begins. A whole stack costs more. */
const nearFrames = 32

export class CallOrigins {
  readonly #begunBy = new WeakMap<object, SourcePosition>()
  /** Turns that were seen to begin without a line of the user's. */
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

  /** Until `unfollow`, each promise of this thread costs a look at the stack. */
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

  /** Null if no line of the user's leads to it. */
  caller(): SourcePosition | null {
    return this.sources.caller() ?? this.#begunBy.get(executionAsyncResource()) ?? null
  }
}
