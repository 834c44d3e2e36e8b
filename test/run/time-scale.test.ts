import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PlannedFault } from '../../src/contract/api/plan.ts'
import { faults } from '../../src/run/faults/index.ts'
import { scaled } from '../../src/run/time-scale.ts'
import { calm } from '../live/lab.ts'

const scope = { consumers: 2, spanMs: 800 }
const scaledFault = (fault: PlannedFault): PlannedFault => scaled({ ...calm, faults: [fault] }, 0.5).faults[0]!

/** The numbers of a fault that are neither triggers nor counts. */
const durations = (fault: PlannedFault) => Object.entries(fault).filter(([name]) => name.endsWith('Ms'))

describe.each([...faults.values()])('$kind on real servers', (fault) => {
  it('is scaled like the plan, whatever the names of its durations', () => {
    for (const drawn of fc.sample(fault.draw(scope), { numRuns: 50, seed: 1 }))
      for (const [name, value] of durations(drawn))
        if (Math.abs(Number(value)) > 1)
          expect(Math.abs(Number(scaledFault(drawn)[name]))).toBeLessThan(Math.abs(Number(value)))
  })
})

it('a duration of an unknown fault is scaled, but no other number', () => {
  const fault: PlannedFault = { kind: 'new', when: { at: 'time', ms: 100 }, everyMs: 40, times: 40, byMs: 0 }
  expect(scaledFault(fault)).toEqual({ kind: 'new', when: { at: 'time', ms: 50 }, everyMs: 20, times: 40, byMs: 0 })
})
