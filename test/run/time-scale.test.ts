import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PlannedFault } from '../../src/contract/api/plan.ts'
import { faults } from '../../src/run/faults/index.ts'
import { scaled } from '../../src/run/time-scale.ts'
import { calm } from '../live/lab.ts'

const scope = { consumers: 2, spanMs: 800 }
const scaledFault = (fault: PlannedFault): PlannedFault => scaled({ ...calm, faults: [fault] }, 0.5).faults[0]!

/** The figures of a fault that are no trigger, and no number of something. */
const durations = (fault: PlannedFault) => Object.entries(fault).filter(([name]) => name.endsWith('Ms'))

describe.each([...faults.values()])('$kind on real machines', (fault) => {
  it('lasts as much shorter as the plan does, whatever its durations are called', () => {
    for (const drawn of fc.sample(fault.draw(scope), { numRuns: 50, seed: 1 }))
      for (const [name, value] of durations(drawn))
        if (Math.abs(Number(value)) > 1)
          expect(Math.abs(Number(scaledFault(drawn)[name]))).toBeLessThan(Math.abs(Number(value)))
  })
})

it('scales a duration that no fault has yet, and no figure that is none', () => {
  const fault: PlannedFault = { kind: 'new', when: { at: 'time', ms: 100 }, everyMs: 40, times: 40, byMs: 0 }
  expect(scaledFault(fault)).toEqual({ kind: 'new', when: { at: 'time', ms: 50 }, everyMs: 20, times: 40, byMs: 0 })
})
