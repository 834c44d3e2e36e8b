/** How much time of a schedule must also pass for Redis. */
import { describe, expect, it } from 'vitest'
import type { ScheduleStep } from '../../src/contract/results/schedule.ts'
import { earnestUntilUs, lastsMs } from '../../src/run/idle-time.ts'
import { stepOf } from './step-of.ts'

const step = (name: string, atMs: number, more: Partial<ScheduleStep> = {}): ScheduleStep => ({
  step: stepOf(name),
  atUs: atMs * 1000,
  seq: 0,
  server: null,
  expired: [],
  wrote: false,
  clocked: false,
  ...more,
})

const [began, later, latest] = [step('begin', 0), step('timer 1', 10_000), step('timer 2', 30_000)]
const get = (atMs: number, more: Partial<ScheduleStep>) => step('consumer-1 command-unexecuted GET a', atMs, more)

describe('idle time', () => {
  it('can be skipped if no step reads the clock of Redis', () => {
    expect(earnestUntilUs([began, later, latest])).toEqual([0, 0, 10_000_000])
    expect(lastsMs([began, later, latest])).toBe(0)
  })

  it.each([
    ['found an expired key', { expired: ['a'] }],
    ['read the time', { clocked: true }],
  ])('must pass up to a step that %s, and can be skipped after it', (_, more) => {
    const steps = [began, later, get(20_000, more), latest]
    expect(earnestUntilUs(steps)).toEqual([0, 10_000_000, 20_000_000, 20_000_000])
    expect(lastsMs(steps)).toBe(20_000)
  })

  const lived = (fromMs: number, untilMs: number) => ({ fromUs: fromMs * 1000, untilUs: untilMs * 1000 })

  it('must pass during the life of a key that a step finds expired, and can be skipped before and after', () => {
    const set = get(4_000, { wrote: true })
    const found = get(20_000, { expired: ['a'], lifetimes: [lived(4_000, 11_000)] })
    const steps = [began, set, later, found, latest]
    expect(earnestUntilUs(steps)).toEqual([0, 0, 10_000_000, 11_000_000, 20_000_000])
    expect(lastsMs(steps)).toBe(7_000)
  })

  it('must pass from the first of two overlapping lives of keys to the end of the last', () => {
    const found = get(20_000, { expired: ['a', 'b'], lifetimes: [lived(0, 9_000), lived(4_000, 12_000)] })
    expect(lastsMs([began, get(4_000, { wrote: true }), later, found])).toBe(12_000)
  })

  it('must pass completely before a key with an unknown lifetime', () => {
    const found = get(20_000, { expired: ['a', 'b'], lifetimes: [lived(4_000, 11_000)] })
    expect(lastsMs([began, get(4_000, { wrote: true }), later, found])).toBe(20_000)
  })

  it('must pass with several servers', () => {
    expect(lastsMs([began, get(20_000, { server: 'redis-1' }), latest])).toBe(30_000)
  })

  it('must pass while Redis blocks a command', () => {
    const pops = ['unexecuted', 'executed'].map((at, nth) =>
      step(`consumer-1 command-${at} BLPOP a`, 5_000 + nth * 15_000),
    )
    expect(lastsMs([began, pops[0]!, later, pops[1]!, latest])).toBe(15_000)
  })

  const insert = (at: 'unexecuted' | 'executed', atMs: number, more: Partial<ScheduleStep> = {}) =>
    step(`consumer-1 command-${at} INSERT records order-1`, atMs, more)

  it.each([
    ['must pass while a statement waits in PostgreSQL, which has its own time limit', { store: 'postgres' }, 15_000],
    ['can be skipped while a command of Redis is in flight, because it does not wait', {}, 0],
  ] as const)('%s', (_, more, ms) => {
    const steps = [began, insert('unexecuted', 5_000, more), later, insert('executed', 20_000, more), latest]
    expect(lastsMs(steps)).toBe(ms)
  })
})
