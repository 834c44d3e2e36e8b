/**
 * The result of work that a simulated host does at once, and a live one asynchronously. The runner
 * serves both. A simulated run stays synchronous, so that it does not depend on the queue of real
 * promises.
 */
export type MaybePromise<T> = T | Promise<T>

/** Continues with the value: at once if it is available, otherwise when it resolves. */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/**
 * Passes a rejection to `failed`. The result settles after that, so that a host that follows a
 * schedule can wait for it.
 */
export function caught(work: MaybePromise<unknown>, failed: (error: unknown) => void): MaybePromise<void> {
  if (work instanceof Promise) return work.then(() => {}, failed)
}
