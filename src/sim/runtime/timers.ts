import timers from 'node:timers'
import timersPromises from 'node:timers/promises'
import { promisify } from 'node:util'
import type { QueuedEvent } from '../kernel/event-queue.ts'
import { caller } from './current.ts'
import type { VirtualProcess } from './process.ts'
import { real } from './real.ts'

/**
 * Timers of a virtual process. As Node's: a delay is cut to whole milliseconds, and one that is below 1, above
 * 2^31-1 or no number is 1 (https://nodejs.org/docs/latest-v20.x/api/timers.html#settimeoutcallback-delay-args).
 * Left out: that a busy event loop fires timers late; a pause does that.
 */
export class VirtualTimeout {
  #event: QueuedEvent<VirtualProcess> | null = null
  #hasRef = true

  constructor(
    readonly process: VirtualProcess,
    readonly delayMs: number,
    readonly repeat: boolean,
    readonly callback: () => void,
  ) {
    this.#arm()
  }

  #arm(): void {
    const { process } = this
    if (process.state === 'ended') return
    this.#event = process.schedule(this.delayMs * 1000, () => {
      this.#event = null
      if (this.repeat) this.#arm()
      this.callback()
    })
  }

  ref(): this {
    this.#hasRef = true
    return this
  }

  /** A world ends when its messages are settled, not when no timer is left, so this keeps only the flag. */
  unref(): this {
    this.#hasRef = false
    return this
  }

  hasRef(): boolean {
    return this.#hasRef
  }

  refresh(): this {
    this.close()
    this.#arm()
    return this
  }

  close(): this {
    if (this.#event !== null) this.process.host.kernel.cancel(this.#event)
    this.#event = null
    return this
  }

  [Symbol.dispose](): void {
    this.close()
  }

  [Symbol.toPrimitive](): number {
    const id = primitiveIds.get(this) ?? ++lastPrimitiveId
    primitiveIds.set(this, id)
    byPrimitiveId.set(id, new WeakRef(this))
    return id
  }
}

const primitiveIds = new WeakMap<VirtualTimeout, number>()
const byPrimitiveId = new Map<number, WeakRef<VirtualTimeout>>()
let lastPrimitiveId = 1_000_000_000

function wholeMs(delay: unknown): number {
  const ms = Number(delay)
  return ms >= 1 && ms <= 0x7fff_ffff ? Math.trunc(ms) : 1
}

type Callback = (...args: unknown[]) => void

function checkCallback(callback: unknown): void {
  if (typeof callback === 'function') return
  const error = new TypeError(`The "callback" argument must be of type function. Received ${String(callback)}`)
  throw Object.assign(error, { code: 'ERR_INVALID_ARG_TYPE' })
}

function virtualSetTimeout(callback: Callback, delay?: number, ...args: unknown[]): unknown {
  const process = caller()
  if (process === null) return real.setTimeout(callback, delay, ...args)
  checkCallback(callback)
  return new VirtualTimeout(process, wholeMs(delay), false, args.length === 0 ? callback : () => callback(...args))
}

function virtualSetInterval(callback: Callback, delay?: number, ...args: unknown[]): unknown {
  const process = caller()
  if (process === null) return real.setInterval(callback, delay, ...args)
  checkCallback(callback)
  return new VirtualTimeout(process, wholeMs(delay), true, args.length === 0 ? callback : () => callback(...args))
}

function virtualSetImmediate(callback: Callback, ...args: unknown[]): unknown {
  const process = caller()
  if (process === null) return real.setImmediate(callback, ...args)
  checkCallback(callback)
  return new VirtualTimeout(process, 0, false, args.length === 0 ? callback : () => callback(...args))
}

/** One function for all three: a virtual timer is told by its class, whoever is current. */
function clearAny(realClear: (timer: never) => void): (timer: unknown) => void {
  return (timer) => {
    if (timer instanceof VirtualTimeout) timer.close()
    else if ((typeof timer === 'number' || typeof timer === 'string') && byPrimitiveId.has(Number(timer)))
      byPrimitiveId.get(Number(timer))?.deref()?.close()
    else realClear(timer as never)
  }
}

interface WaitOptions {
  readonly signal?: AbortSignal
}

/** `timers/promises`, and what `promisify(setTimeout)` gives. */
function wait<T>(start: (fire: () => void) => unknown, value: T, options?: WaitOptions): Promise<T> {
  return new Promise((resolve, reject) => {
    const signal = options?.signal
    const abort = () => {
      virtualClearTimeout(timer)
      const error = new Error('The operation was aborted', { cause: signal?.reason })
      reject(Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' }))
    }
    const timer = start(() => {
      signal?.removeEventListener('abort', abort)
      resolve(value)
    })
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}

const virtualClearTimeout = clearAny(real.clearTimeout as (timer: never) => void)

function waitTimeout<T>(delay?: number, value?: T, options?: WaitOptions): Promise<T> {
  return wait((fire) => virtualSetTimeout(fire, delay), value as T, options)
}

function waitImmediate<T>(value?: T, options?: WaitOptions): Promise<T> {
  return wait((fire) => virtualSetImmediate(fire), value as T, options)
}

async function* everyInterval<T>(delay?: number, value?: T, options?: WaitOptions): AsyncGenerator<T> {
  for (;;) yield await waitTimeout(delay, value as T, options)
}

function virtualAbortTimeout(delay: number): AbortSignal {
  const process = caller()
  if (process === null) return real.abortTimeout.call(AbortSignal, delay)
  const controller = new AbortController()
  const abort = () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  new VirtualTimeout(process, wholeMs(delay), false, abort)
  return controller.signal
}

export function installTimers(): void {
  const virtual = {
    setTimeout: Object.assign(virtualSetTimeout, { [promisify.custom]: waitTimeout }),
    setInterval: virtualSetInterval,
    setImmediate: Object.assign(virtualSetImmediate, { [promisify.custom]: waitImmediate }),
    clearTimeout: virtualClearTimeout,
    clearInterval: clearAny(real.clearInterval as (timer: never) => void),
    clearImmediate: clearAny(real.clearImmediate as (timer: never) => void),
  }
  Object.assign(globalThis, virtual)
  Object.assign(timers, virtual)
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
  scheduler.wait = ((delay: number, options?: WaitOptions) =>
    caller() === null ? realWait(delay, options) : waitTimeout(delay, undefined, options)) as typeof scheduler.wait
  AbortSignal.timeout = virtualAbortTimeout
}
