/**
 * Timers of the layer in a run that follows a schedule. A timer fires when the schedule reaches it.
 * A real timer could fire late because the machine is slow, or early because the run waits for the
 * machine. It would then fire between other steps than in the schedule.
 */
import { AsyncResource } from 'node:async_hooks'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'
import { promisify } from 'node:util'
import { abortedBy, promisedInterval, promisedTimer, type WaitOptions } from 'virtual-node/promised-timers'
import { report } from './gates.ts'
import { noteLimit } from './limits.ts'

const real = { ...timers }

/** The longest delay in Node, in milliseconds. */
export const longestMs = 0x7fff_ffff

let numbers = 0
/** Timers that were started and have neither fired nor been cleared. */
const armed = new Map<number, HeldTimer>()
const byHandle = new WeakMap<object, HeldTimer>()
/** Timers by their numeric id, if the layer requested the id. */
const byId = new Map<number, HeldTimer>()

class HeldTimer {
  readonly handle: NodeJS.Timeout
  readonly #number = ++numbers
  #cleared = false

  constructor(
    private readonly work: () => void,
    private readonly delayMs: number,
    private readonly repeats: boolean,
  ) {
    // This timer keeps the process alive like the real timer would.
    const handle = real.setTimeout(() => {}, longestMs)
    this.handle = handle
    byHandle.set(handle, this)
    handle.refresh = () => {
      if (!this.#cleared) this.#arm()
      return handle
    }
    handle.close = () => {
      this.clear()
      return handle
    }
    const idOf = handle[Symbol.toPrimitive].bind(handle)
    handle[Symbol.toPrimitive] = () => {
      const id = idOf()
      byId.set(id, this)
      return id
    }
    this.#arm()
  }

  #arm(): void {
    armed.set(this.#number, this)
    report({ type: 'timer-set', timer: this.#number, delayMs: this.delayMs })
  }

  /** Calls the callback. An interval starts again after it, as in Node. */
  fire(): void {
    armed.delete(this.#number)
    try {
      this.work()
    } finally {
      if (this.repeats) this.handle.refresh()
      else if (!armed.has(this.#number)) real.clearTimeout(this.handle)
    }
  }

  clear(): void {
    this.#cleared = true
    real.clearTimeout(this.handle)
    if (armed.delete(this.#number)) report({ type: 'timer-cleared', timer: this.#number })
  }
}

export const armedHandles = (): NodeJS.Timeout[] => [...armed.values()].map(({ handle }) => handle)

/** Fires the timer, unless it was cleared in the meantime. */
export function fireTimer(timer: number): void {
  armed.get(timer)?.fire()
}

/** Limits a delay as Node does. */
const wholeMs = (delay: unknown): number => {
  const ms = Number(delay)
  return ms >= 1 && ms <= longestMs ? Math.trunc(ms) : 1
}

type Callback = (...args: unknown[]) => void

/** Starts a timer for the harness's code in the process: the planned work around an effect. */
export function heldTimeout(callback: Callback, delayMs?: unknown, ...args: unknown[]): NodeJS.Timeout {
  return start(false, callback, delayMs, args)
}

function start(repeats: boolean, callback: Callback, delayMs: unknown, args: unknown[]): NodeJS.Timeout {
  // Real `setTimeout` throws the error that Node gives for an invalid callback.
  if (typeof callback !== 'function') return real.setTimeout(callback)
  const work = AsyncResource.bind(callback)
  return new HeldTimer(() => work(...args), wholeMs(delayMs), repeats).handle
}

function clear(timer: unknown): void {
  const held = typeof timer === 'object' && timer !== null ? byHandle.get(timer) : byId.get(Number(timer))
  if (held === undefined) real.clearTimeout(timer as NodeJS.Timeout)
  else held.clear()
}

const timersBy = (begin: (fire: () => void) => unknown) => ({ start: begin, clear })

function wait<T>(delayMs?: number, value?: T, options?: WaitOptions): Promise<T> {
  return promisedTimer(
    timersBy((fire) => globalThis.setTimeout(fire, delayMs)),
    value as T,
    options,
  )
}

function every<T>(delayMs?: number, value?: T, options?: WaitOptions): AsyncGenerator<T> {
  return promisedInterval(
    timersBy((tick) => globalThis.setInterval(tick, delayMs)),
    value as T,
    options,
  )
}

/** Replaces the timer functions. */
export function holdTimers(): void {
  const setTimeout = (callback: Callback, delayMs?: unknown, ...args: unknown[]) => {
    noteLimit(Number(delayMs))
    return start(false, callback, delayMs, args)
  }
  const setInterval = (callback: Callback, delayMs?: unknown, ...args: unknown[]) =>
    start(true, callback, delayMs, args)
  Object.defineProperty(setTimeout, promisify.custom, { value: wait })
  const held = { setTimeout, setInterval, clearTimeout: clear, clearInterval: clear }
  Object.assign(globalThis, held)
  Object.assign(timers, held)
  Object.assign(timersPromises, { setTimeout: wait, setInterval: every })
  timersPromises.scheduler.wait = (delayMs: number, options?: WaitOptions) => wait<void>(delayMs, undefined, options)
  // Like Node's timer, this one does not keep a process alive.
  AbortSignal.timeout = (delayMs) => abortedBy((abort) => void start(false, abort, delayMs, []).unref())
}
