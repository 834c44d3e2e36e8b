import { AsyncResource } from 'node:async_hooks'
import timers from 'node:timers'
import { assert } from '../assert.ts'
import type { QueuedEvent } from '../kernel/event-queue.ts'
import { abortedBy } from '../promised-timers.ts'
import { caller, current } from './current.ts'
import type { VirtualProcess } from './process.ts'
import { real } from './real.ts'

/**
 * Timers of a virtual process. As in Node, a delay is cut to whole milliseconds, and becomes 1 if
 * it is below 1, above 2^31-1 or not a number
 * (https://nodejs.org/docs/latest-v20.x/api/timers.html#settimeoutcallback-delay-args). Not
 * simulated: timers that are late because the event loop is busy; a pause has the same effect.
 */
export class VirtualTimeout {
  #event: QueuedEvent<VirtualProcess> | null = null
  /** The asynchronous context of its callback, and so its stores of `AsyncLocalStorage`. */
  #resource = new AsyncResource('Timeout')
  #hasRef = true
  #cleared = false
  /** True once it has fired, until it is started again. */
  #over = false
  #id = 0

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
    assert(this.#event === null, 'a timer waits for one time')
    if (process.state === 'ended') return
    process.host.timerStarted(this.delayMs)
    process.waitingTimers.add(this)
    this.#event = process.schedule(this.delayMs * 1000, () => this.#fire(), this.delayMs)
  }

  /**
   * An interval is armed again after its callback, behind the work that the callback has started.
   */
  #fire(): void {
    const { process } = this
    assert(this.#event !== null, 'only a timer that waits goes off')
    assert(process.host.kernel.nowUs >= this.#event.atUs, 'no timer goes off early')
    assert(current === process, 'a timer goes off in a turn of its process')
    this.#event = null
    process.waitingTimers.delete(this)
    process.wentOff(this.delayMs)
    try {
      this.#resource.runInAsyncScope(this.callback, this)
    } finally {
      if (this.repeat && !this.#cleared && this.#event === null) this.#arm()
      else if (this.#event === null) this.#end()
    }
  }

  /** When the timer fires, on the world's clock. Call it only for a waiting timer. */
  get dueUs(): number {
    return this.#event!.atUs
  }

  ref(): this {
    this.#hasRef = true
    return this
  }

  /**
   * Keeps only the flag, because a world ends when its messages are settled, not when no timer is
   * left.
   */
  unref(): this {
    this.#hasRef = false
    return this
  }

  hasRef(): boolean {
    return this.#hasRef
  }

  /**
   * Restarts the delay, even after it has passed, but not after the timer was cleared. A timer that
   * has fired then belongs to the work that restarts it.
   */
  refresh(): this {
    if (this.#cleared) return this
    if (this.#over) this.#resource = new AsyncResource('Timeout')
    this.#over = false
    this.#stop()
    this.#arm()
    return this
  }

  close(): this {
    this.#cleared = true
    this.#stop()
    this.#forget()
    return this
  }

  #stop(): void {
    if (this.#event === null) return
    this.process.waitingTimers.delete(this)
    this.process.host.kernel.cancel(this.#event)
    this.#event = null
  }

  #end(): void {
    this.#over = true
    this.#forget()
  }

  #forget(): void {
    if (this.#id !== 0) this.process.numberedTimers.delete(this.#id)
  }

  [Symbol.dispose](): void {
    this.close()
  }

  /** A number that `clearTimeout` takes too, as in browsers. */
  [Symbol.toPrimitive](): number {
    const { numberedTimers } = this.process
    if (this.#id === 0) this.#id = ++this.process.lastTimerNumber
    if (!this.#cleared) numberedTimers.set(this.#id, this)
    return this.#id
  }
}

export function wholeMs(delay: unknown): number {
  const ms = Number(delay)
  return ms >= 1 && ms <= 0x7fff_ffff ? Math.trunc(ms) : 1
}

type Callback = (...args: unknown[]) => void

/** @throws as Node does */
function start(process: VirtualProcess, delayMs: number, repeat: boolean, callback: Callback, args: unknown[]) {
  if (typeof callback !== 'function') {
    const error = new TypeError(`The "callback" argument must be of type function. Received ${String(callback)}`)
    throw Object.assign(error, { code: 'ERR_INVALID_ARG_TYPE' })
  }
  if (args.length === 0) return new VirtualTimeout(process, delayMs, repeat, callback)
  return new VirtualTimeout(process, delayMs, repeat, function (this: VirtualTimeout) {
    callback.apply(this, args)
  })
}

export function virtualSetTimeout(callback: Callback, delay?: number, ...args: unknown[]): unknown {
  const process = caller()
  if (process === null) return real.setTimeout(callback, delay, ...args)
  return start(process, wholeMs(delay), false, callback, args)
}

export function virtualSetInterval(callback: Callback, delay?: number, ...args: unknown[]): unknown {
  const process = caller()
  if (process === null) return real.setInterval(callback, delay, ...args)
  return start(process, wholeMs(delay), true, callback, args)
}

export function virtualSetImmediate(callback: Callback, ...args: unknown[]): unknown {
  const process = caller()
  if (process === null) return real.setImmediate(callback, ...args)
  return start(process, 0, false, callback, args)
}

/**
 * Makes `clearTimeout`, `clearInterval` or `clearImmediate`. A virtual timer is recognized by its
 * class, whichever process is current.
 */
function clearAny(realClear: (timer: never) => void): (timer: unknown) => void {
  return (timer) => {
    if (timer instanceof VirtualTimeout) timer.close()
    else if ((typeof timer === 'number' || typeof timer === 'string') && caller() !== null)
      caller()?.numberedTimers.get(Number(timer))?.close()
    else realClear(timer as never)
  }
}

export const virtualClearTimeout = clearAny(real.clearTimeout as (timer: never) => void)

function virtualAbortTimeout(delay: number): AbortSignal {
  const process = caller()
  if (process === null) return real.abortTimeout.call(AbortSignal, delay)
  return abortedBy((abort) => void new VirtualTimeout(process, wholeMs(delay), false, abort))
}

export function installTimers(): void {
  const virtual = {
    setTimeout: virtualSetTimeout,
    setInterval: virtualSetInterval,
    setImmediate: virtualSetImmediate,
    clearTimeout: virtualClearTimeout,
    clearInterval: clearAny(real.clearInterval as (timer: never) => void),
    clearImmediate: clearAny(real.clearImmediate as (timer: never) => void),
  }
  Object.assign(globalThis, virtual)
  Object.assign(timers, virtual)
  AbortSignal.timeout = virtualAbortTimeout
}
