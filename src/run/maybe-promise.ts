/**
 * What a simulated host does at once and a live one takes time over. The runner is written once for
 * both: a simulated run stays synchronous, so that nothing of it depends on the queue of real
 * promises.
 */
export type MaybePromise<T> = T | Promise<T>

/** Goes on with the value: at once where it is there, else when it comes. */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/**
 * What it rejects with goes to `failed`. Settles once it has, so that a host which keeps an order
 * of steps can wait for it.
 */
export function caught(work: MaybePromise<unknown>, failed: (error: unknown) => void): MaybePromise<void> {
  if (work instanceof Promise) return work.then(() => {}, failed)
}
