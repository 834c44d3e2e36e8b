/**
 * `Atomics.waitAsync` and `notify` within one process: memory is not shared with other processes,
 * and time is virtual.
 */
import { caller } from '../current.ts'
import { virtualClearTimeout, virtualSetTimeout } from '../timers.ts'
import { refuse } from './refuse.ts'
import { replaceFunction } from './replace.ts'

type Shared = Int32Array | BigInt64Array

interface Waiter {
  readonly at: number
  wake(how: 'ok' | 'timed-out'): void
}

/** First come, first woken. */
const waiting = new WeakMap<object, Waiter[]>()

const placeOf = ({ byteOffset, BYTES_PER_ELEMENT }: Shared, index: number) => byteOffset + index * BYTES_PER_ELEMENT

function waitAsync(
  array: Shared,
  index: number,
  value: number | bigint,
  timeoutMs = Number.POSITIVE_INFINITY,
): unknown {
  if (Atomics.load(array as Int32Array, index) !== value) return { async: false, value: 'not-equal' }
  if (timeoutMs <= 0) return { async: false, value: 'timed-out' }
  let list = waiting.get(array.buffer)
  if (list === undefined) waiting.set(array.buffer, (list = []))
  const waiters = list
  const woken = new Promise((resolve) => {
    const waiter: Waiter = {
      at: placeOf(array, index),
      wake(how) {
        waiters.splice(waiters.indexOf(waiter), 1)
        virtualClearTimeout(timer)
        resolve(how)
      },
    }
    waiters.push(waiter)
    const timer = Number.isFinite(timeoutMs) ? virtualSetTimeout(() => waiter.wake('timed-out'), timeoutMs) : undefined
  })
  return { async: true, value: woken }
}

export function installWaitAsync(): void {
  replaceFunction(Atomics, 'waitAsync', (_process, array: Shared, index: number, value: number, timeoutMs?: number) => {
    if (!(array.buffer instanceof SharedArrayBuffer))
      throw new TypeError('[object Int32Array] is not a shared typed array.')
    return waitAsync(array, index, value, timeoutMs)
  })
  replaceFunction(Atomics, 'notify', (_process, array: Shared, index: number, count = Number.POSITIVE_INFINITY) => {
    const at = placeOf(array, index)
    const woken = (waiting.get(array.buffer) ?? []).filter((waiter) => waiter.at === at).slice(0, Math.max(0, count))
    for (const waiter of woken) waiter.wake('ok')
    return woken.length
  })
  const { wait } = Atomics
  // A blocked thread would wait in real time. If the value already differs, the real function
  // returns at once.
  replaceFunction(Atomics, 'wait', (_process, array: Int32Array, index: number, value: number) => {
    if (Atomics.load(array, index) === value) refuse('Atomics.wait')
    return Reflect.apply(wait, Atomics, [array, index, value])
  })
}

/** Keeps the target as long as its WeakRef lives. */
const held = new WeakMap<object, object>()

/**
 * WeakRefs of a process never lose their target, because the time of the loss would depend on the
 * garbage collector.
 */
export function installWeakRefs(): void {
  const real = globalThis.WeakRef
  globalThis.WeakRef = new Proxy(real, {
    construct(target, args, newTarget) {
      const reference = Reflect.construct(target, args, newTarget) as object
      if (caller() !== null) held.set(reference, args[0] as object)
      return reference
    },
  })
  Object.defineProperty(real.prototype, 'constructor', { value: globalThis.WeakRef, configurable: true })
}
