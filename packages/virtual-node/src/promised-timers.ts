/** The functions of `node:timers/promises`, on top of given timers. */

export interface WaitOptions {
  readonly signal?: AbortSignal
}

interface TimersOf {
  /** Returns the argument for `clear`. */
  readonly start: (fire: () => void) => unknown
  readonly clear: (timer: unknown) => void
}

/** Rejects with Node's AbortError if the signal comes first. */
export function promisedTimer<T>({ start, clear }: TimersOf, value: T, { signal }: WaitOptions = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortError(signal))
    const abort = () => {
      clear(timer)
      reject(abortError(signal!))
    }
    const timer = start(() => {
      signal?.removeEventListener('abort', abort)
      resolve(value)
    })
    signal?.addEventListener('abort', abort, { once: true })
  })
}

/** Ticks that were not awaited are not lost: they are delivered one after the other. */
export async function* promisedInterval<T>(
  { start, clear }: TimersOf,
  value: T,
  { signal }: WaitOptions = {},
): AsyncGenerator<T> {
  if (signal?.aborted) throw abortError(signal)
  let ticks = 0
  let wake: (() => void) | null = null
  const timer = start(() => {
    ticks++
    wake?.()
  })
  const abort = () => {
    clear(timer)
    wake?.()
  }
  signal?.addEventListener('abort', abort, { once: true })
  try {
    while (!signal?.aborted) {
      if (ticks === 0) await new Promise<void>((resolve) => (wake = resolve))
      for (; ticks > 0; ticks--) yield value
    }
    throw abortError(signal)
  } finally {
    clear(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/** A signal that aborts when the timer fires, like `AbortSignal.timeout`. */
export function abortedBy(start: (fire: () => void) => void): AbortSignal {
  const controller = new AbortController()
  start(() => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')))
  return controller.signal
}

function abortError(signal: AbortSignal): Error {
  const error = new Error('The operation was aborted', { cause: signal.reason })
  return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' })
}
