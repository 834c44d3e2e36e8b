/**
 * What a simulated host does at once and a live one takes time over. The conductor is written once for both: a simulated
 * run stays synchronous, so that nothing of it depends on the queue of real promises.
 */
export type MaybePromise<T> = T | Promise<T>

/** Goes on with the value: at once where it is there, else when it comes. */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}
