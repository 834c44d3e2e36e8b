/**
 * From which line of the user's a call comes: the deepest one in the stack. Where a package goes on later, in a turn of its
 * own, the line that began that work: it is handed on to every promise, tick and timer that is made meanwhile, as Node's
 * `AsyncLocalStorage` hands on its store. V8's own asynchronous stacks follow `await` alone.
 */
import { type AsyncHook, createHook, executionAsyncResource } from 'node:async_hooks'
import type { SourcePosition, UserSources } from './user-sources.ts'

export class CallOrigins {
  readonly #begunBy = new WeakMap<object, SourcePosition>()
  readonly #hook: AsyncHook

  constructor(private readonly sources: Pick<UserSources, 'caller'>) {
    this.#hook = createHook({
      init: (_id, _type, _trigger, resource) => {
        const from = this.caller()
        if (from !== null) this.#begunBy.set(resource, from)
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

  /** Null where no line of the user's leads to it. */
  caller(): SourcePosition | null {
    return this.sources.caller() ?? this.#begunBy.get(executionAsyncResource()) ?? null
  }
}
