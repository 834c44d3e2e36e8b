/**
 * The result of work that a simulated host does at once, and a live host asynchronously. The runner
 * supports both. A simulated run is synchronous, so it does not depend on the queue of real
 * promises.
 */
export type MaybePromise<T> = T | Promise<T>

/**
 * Calls `next` with the value: at once if the value is available, otherwise when the promise
 * resolves.
 */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/**
 * Passes a rejection to `failed`. The returned promise settles after that, so that a host that
 * follows a schedule can wait for the work.
 */
export function caught(work: MaybePromise<unknown>, failed: (error: unknown) => void): MaybePromise<void> {
  if (work instanceof Promise) return work.then(() => {}, failed)
}
