/** How long a settled run continues for timers that have not fired yet. */
import { expect, it } from 'vitest'
import { LayersTimers } from '../../../src/sim/world/layers-timers.ts'

/**
 * A process with timers of these lengths in milliseconds. `wentOffMs`: the lengths that fired long
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

it('a run continues until the longest timer below a minute has fired and its command was answered', () => {
  const { kernel, timers } = timersOf([7500, 30_000, 3_600_000])
  expect(timers.goesOn(keysStay, forEver)).toBe(true)
  kernel.nowUs = 41_999_999
  expect(timers.goesOn(keysStay, forEver)).toBe(true)
  kernel.nowUs = 42_000_000
  expect(timers.goesOn(keysStay, forEver)).toBe(false)
  expect(timers.wentOn).toBe(true)
})

it('a run also continues for a sleeping program', () => {
  expect(timersOf([], [], 30_000).timers.goesOn(keysStay, forEver)).toBe(true)
})

it('a run does not continue if no key remains, all timers have fired, none waits, or only longer ones do', () => {
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

it('a run does not exceed its time budget, and a waiting timer may then delete keys later', () => {
  const { timers } = timersOf([30_000])
  expect(timers.goesOn(keysStay, 41_999_999)).toBe(false)
  expect(timers.waits).toEqual({ any: true, seldom: true })
  const { timers: enough } = timersOf([30_000])
  expect(enough.goesOn(keysStay, 42_000_000)).toBe(true)
})

it('a waiting timer may delete keys later if the run ended before it fired, but not if it was always restarted', () => {
  const { kernel, timers } = timersOf([30_000])
  timers.goesOn(keysStay, forEver)
  kernel.nowUs = 41_999_999
  expect(timers.waits).toEqual({ any: true, seldom: true })
  kernel.nowUs = 42_000_000
  expect(timers.waits).toEqual({ any: true, seldom: false })
})

it('a timer that has just fired has not shown its effect yet', () => {
  const { kernel, timers } = timersOf([5000])
  kernel.wentOffUs.set(5000, kernel.nowUs)
  expect(timers.goesOn(keysStay, forEver)).toBe(true)
  kernel.nowUs += 2_000_000
  expect(timers.goesOn(keysStay, forEver)).toBe(false)
  expect(timers.waits.seldom).toBe(false)
})

it('a fault in the meantime leaves the effect of timers open', () => {
  const { kernel, timers, events } = timersOf([30_000])
  timers.goesOn(keysStay, forEver)
  events.push({ type: 'fault-struck' })
  kernel.nowUs = 42_000_000
  expect(timers.waits.seldom).toBe(true)
  expect(timers.wentOn).toBe(false)
})

it('an immediate does not count as a timer', () => {
  expect(timersOf([0]).timers.waits).toEqual({ any: false, seldom: false })
})
