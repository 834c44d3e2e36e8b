import timersPromises from 'node:timers/promises'
import { promisify } from 'node:util'
import { caller } from './current.ts'
import { virtualClearTimeout, virtualSetImmediate, virtualSetInterval, virtualSetTimeout } from './timers.ts'

interface WaitOptions {
  readonly signal?: AbortSignal
}

function abortError(signal: AbortSignal): Error {
  const error = new Error('The operation was aborted', { cause: signal.reason })
  return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' })
}

/** `timers/promises`, and what `promisify(setTimeout)` gives. */
function wait<T>(start: (fire: () => void) => unknown, value: T, options?: WaitOptions): Promise<T> {
  return new Promise((resolve, reject) => {
    const { signal } = options ?? {}
    if (signal?.aborted) return reject(abortError(signal))
    const abort = () => {
      virtualClearTimeout(timer)
      reject(abortError(signal!))
    }
    const timer = start(() => {
      signal?.removeEventListener('abort', abort)
      resolve(value)
    })
    signal?.addEventListener('abort', abort, { once: true })
  })
}

function waitTimeout<T>(delay?: number, value?: T, options?: WaitOptions): Promise<T> {
  return wait((fire) => virtualSetTimeout(fire, delay), value as T, options)
}

function waitImmediate<T>(value?: T, options?: WaitOptions): Promise<T> {
  return wait((fire) => virtualSetImmediate(fire), value as T, options)
}

/** Ticks that nobody waited for are not lost: they are handed over one after the other. */
async function* everyInterval<T>(delay?: number, value?: T, options?: WaitOptions): AsyncGenerator<T> {
  const { signal } = options ?? {}
  if (signal?.aborted) throw abortError(signal)
  let ticks = 0
  let wake: (() => void) | null = null
  const tick = () => {
    ticks++
    wake?.()
  }
  const timer = virtualSetInterval(tick, delay)
  const abort = () => {
    virtualClearTimeout(timer)
    wake?.()
  }
  signal?.addEventListener('abort', abort, { once: true })
  try {
    while (!signal?.aborted) {
      if (ticks === 0) await new Promise<void>((resolve) => (wake = resolve))
      for (; ticks > 0; ticks--) yield value as T
    }
    throw abortError(signal)
  } finally {
    virtualClearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

export function installTimersPromises(): void {
  Object.assign(virtualSetTimeout, { [promisify.custom]: waitTimeout })
  Object.assign(virtualSetImmediate, { [promisify.custom]: waitImmediate })
  const realPromises = { ...timersPromises }
  Object.assign(timersPromises, {
    setTimeout: (...args: Parameters<typeof waitTimeout>) =>
      caller() === null ? realPromises.setTimeout(...args) : waitTimeout(...args),
    setImmediate: (...args: Parameters<typeof waitImmediate>) =>
      caller() === null ? realPromises.setImmediate(...args) : waitImmediate(...args),
    setInterval: (...args: Parameters<typeof everyInterval>) =>
      caller() === null ? realPromises.setInterval(...args) : everyInterval(...args),
  })
  const { scheduler } = timersPromises
  const realWait = scheduler.wait.bind(scheduler)
  const realYield = scheduler.yield.bind(scheduler)
  scheduler.wait = ((delay: number, options?: WaitOptions) =>
    caller() === null ? realWait(delay, options) : waitTimeout(delay, undefined, options)) as typeof scheduler.wait
  scheduler.yield = () => (caller() === null ? realYield() : waitImmediate<void>())
}
