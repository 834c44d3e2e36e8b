/** How long a settled run goes on for timers that have shown nothing yet. */
import { expect, it } from 'vitest'
import { LayersTimers } from '../../../src/sim/world/layers-timers.ts'

/**
 * A process with timers of these lengths, in milliseconds; `wentOffMs`: those that went off long
 * before.
 */
function timersOf(waitingMs: readonly number[], wentOffMs: readonly number[] = [], sleepMs: number | null = null) {
  const nowUs = 10_000_000
  const waiting = (delayMs: number) => ({ delayMs, dueUs: nowUs + delayMs * 1000 })
  const kernel = { nowUs, wentOffUs: new Map(wentOffMs.map((ms) => [ms, 0])), schedule: () => ({}) as never }
  const sleep = sleepMs === null ? null : waiting(sleepMs)
  const events: { type: 'fault-struck' }[] = []
  const timers = new LayersTimers(kernel, () => [{ waitingTimers: waitingMs.map(waiting), sleep }], events)
  return { kernel, timers, events }
}

const keysStay = () => true
const forEver = Number.POSITIVE_INFINITY

it('until the longest of less than a minute has gone off, and what it asks is answered', () => {
  const { kernel, timers } = timersOf([7500, 30_000, 3_600_000])
  expect(timers.goesOn(keysStay, forEver)).toBe(true)
  kernel.nowUs = 41_999_999
  expect(timers.goesOn(keysStay, forEver)).toBe(true)
  kernel.nowUs = 42_000_000
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
  expect(timers.goesOn(keysStay, 41_999_999)).toBe(false)
  expect(timers.waits).toEqual({ any: true, seldom: true })
  const { timers: enough } = timersOf([30_000])
  expect(enough.goesOn(keysStay, 42_000_000)).toBe(true)
})

it('what waits may delete keys later where the run ended before it went off, and not where it was started again each time', () => {
  const { kernel, timers } = timersOf([30_000])
  timers.goesOn(keysStay, forEver)
  kernel.nowUs = 41_999_999
  expect(timers.waits).toEqual({ any: true, seldom: true })
  kernel.nowUs = 42_000_000
  expect(timers.waits).toEqual({ any: true, seldom: false })
})

it('one that has only just gone off has shown nothing yet', () => {
  const { kernel, timers } = timersOf([5000])
  kernel.wentOffUs.set(5000, kernel.nowUs)
  expect(timers.goesOn(keysStay, forEver)).toBe(true)
  kernel.nowUs += 2_000_000
  expect(timers.goesOn(keysStay, forEver)).toBe(false)
  expect(timers.waits.seldom).toBe(false)
})

it('a fault that strikes meanwhile leaves open what they would have shown', () => {
  const { kernel, timers, events } = timersOf([30_000])
  timers.goesOn(keysStay, forEver)
  events.push({ type: 'fault-struck' })
  kernel.nowUs = 42_000_000
  expect(timers.waits.seldom).toBe(true)
  expect(timers.wentOn).toBe(false)
})

it('an immediate is no timer', () => {
  expect(timersOf([0]).timers.waits).toEqual({ any: false, seldom: false })
})
