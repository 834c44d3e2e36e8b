import { expect, it } from 'vitest'
import type { Plan } from '../../src/contract/api/plan.ts'
import { headerOf } from '../../src/run/header.ts'
import { calm } from '../live/lab.ts'
import { fault } from './tiny-host.ts'

const subject = {} as Parameters<typeof headerOf>[0]
const isFaultFree = (plan: Partial<Plan>) =>
  headerOf(subject, { ...calm, leaseMs: 1000, effectMs: 100, faults: [], ...plan }).faultFree

it('a run is fault-free without planned faults, with correct produced-at times, and with handlers within their lease', () => {
  expect(isFaultFree({})).toBe(true)
  expect(isFaultFree({ work: { beforeMs: 400, afterMs: 400 } })).toBe(true)
  expect(isFaultFree({ work: { beforeMs: 500, afterMs: 400 } })).toBe(false)
  expect(isFaultFree({ effectMs: 1000 })).toBe(false)
  expect(isFaultFree({ faults: [fault('crash', { at: 'time', ms: 1 })] })).toBe(false)
  const [message] = calm.messages
  expect(isFaultFree({ messages: [{ ...message!, stampOffMs: 5 }] })).toBe(false)
})

it('the header of a run has the delays of its planned faults', () => {
  const at = { at: 'time', ms: 1 } as const
  const faults = ['crash', 'slow-redis', 'slow-link', 'slow-redis'].map((kind) => fault(kind, at))
  expect(headerOf(subject, { ...calm, faults }).delays).toEqual({ 'slow-redis': 'all', 'slow-link': 'its links' })
})
