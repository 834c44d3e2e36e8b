/** How long a settled run goes on for timers that have shown nothing yet. */
import { expect, it } from 'vitest'
import { LayersTimers } from '../../../src/sim/world/layers-timers.ts'

/** A process with timers of these lengths, in milliseconds; `wentOffMs`: those that went off before. */
function timersOf(waitingMs: readonly number[], wentOffMs: readonly number[] = [], sleepsForMs: number | null = null) {
  const kernel = { nowUs: 1_000_000, wentOffMs: new Set(wentOffMs), schedule: () => ({}) as never }
  const waitingTimers = new Set(waitingMs.map((delayMs) => ({ delayMs }) as never))
  return { kernel, timers: new LayersTimers(kernel, () => [{ waitingTimers, sleepsForMs }]) }
}

const keysStay = () => true
const forEver = Number.POSITIVE_INFINITY

it('until the longest of less than a minute has gone off, and what it asks is answered', () => {
  const { kernel, timers } = timersOf([7500, 30_000, 3_600_000])
  expect(timers.goesOn(keysStay, forEver)).toBe(true)
  kernel.nowUs = 32_999_999
  expect(timers.goesOn(keysStay, forEver)).toBe(true)
  kernel.nowUs = 33_000_000
  expect(timers.goesOn(keysStay, forEver)).toBe(false)
  expect(timers.wentOn).toBe(true)
})

it('also for a program that sleeps', () => {
  expect(timersOf([], [], 30_000).timers.goesOn(keysStay, forEver)).toBe(true)
})

it('not where no key stays, all have gone off, none waits, or only longer ones do', () => {
  const notFor = (waitingMs: readonly number[], wentOffMs: readonly number[] = [], stays = true) => {
    const { timers } = timersOf(waitingMs, wentOffMs)
    expect(timers.goesOn(() => stays, forEver)).toBe(false)
    expect(timers.wentOn).toBe(false)
  }
  notFor([30_000], [], false)
  notFor([30_000], [30_000])
  notFor([])
  notFor([60_000])
})

it('not beyond its budget of time: what waits may then delete keys later', () => {
  const { timers } = timersOf([30_000])
  expect(timers.goesOn(keysStay, 32_999_999)).toBe(false)
  expect(timers.waits).toEqual({ any: true, seldom: true })
  const { timers: enough } = timersOf([30_000])
  expect(enough.goesOn(keysStay, 33_000_000)).toBe(true)
})

it('what waits may delete keys later where the run ended before it went off, and not where it was started again each time', () => {
  const { kernel, timers } = timersOf([30_000])
  timers.goesOn(keysStay, forEver)
  kernel.nowUs = 32_999_999
  expect(timers.waits).toEqual({ any: true, seldom: true })
  kernel.nowUs = 33_000_000
  expect(timers.waits).toEqual({ any: true, seldom: false })
})
