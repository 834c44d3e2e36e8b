import timersPromises from 'node:timers/promises'
import { promisify } from 'node:util'
import { promisedInterval, promisedTimer, type WaitOptions } from '../promised-timers.ts'
import { caller } from './current.ts'
import { virtualClearTimeout, virtualSetImmediate, virtualSetInterval, virtualSetTimeout } from './timers.ts'

/** `timers/promises`, and the result of `promisify(setTimeout)`. */
function waitTimeout<T>(delay?: number, value?: T, options?: WaitOptions): Promise<T> {
  return promisedTimer(
    timersBy((fire) => virtualSetTimeout(fire, delay)),
    value as T,
    options,
  )
}

function waitImmediate<T>(value?: T, options?: WaitOptions): Promise<T> {
  return promisedTimer(
    timersBy((fire) => virtualSetImmediate(fire)),
    value as T,
    options,
  )
}

function everyInterval<T>(delay?: number, value?: T, options?: WaitOptions): AsyncGenerator<T> {
  return promisedInterval(
    timersBy((tick) => virtualSetInterval(tick, delay)),
    value as T,
    options,
  )
}

const timersBy = (start: (fire: () => void) => unknown) => ({ start, clear: virtualClearTimeout })

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
