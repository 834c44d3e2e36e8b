import { describe, expect, test } from 'vitest'
import { faultWithoutTarget } from '../../../src/campaign/tally/fault-without-target.ts'
import { emptyTally, mergeTally, type Tally, type UnstruckTally } from '../../../src/campaign/tally/tally.ts'

function tally(runs: number, unstruck: Record<string, UnstruckTally>, struck: Record<string, number> = {}): Tally {
  return { ...emptyTally(), runs, unstruck: new Map(Object.entries(unstruck)), faults: new Map(Object.entries(struck)) }
}

describe('a kind of fault that was planned and never struck', () => {
  test('is reported with what it needs if its moment came in vain', () => {
    const why = faultWithoutTarget(tally(250, { 'machine-cut-off': { runs: 110, cameUp: 70 } }))
    expect(why).toMatch(/^machine-cut-off was planned in 110 runs and never happened: it needs another machine/)
  })

  test('is reported if no run reached its moment', () => {
    const why = faultWithoutTarget(tally(250, { crash: { runs: 110, cameUp: 0 } }))
    expect(why).toBe('crash was planned in 110 runs and never happened: its trigger never fired')
  })

  test('is not reported if it strikes requests and effects are rows, unless all runs planned it', () => {
    const slow = (runs: number) => tally(250, { 'slow-effect': { runs, cameUp: 0 } })
    expect(faultWithoutTarget(slow(145))).not.toBeNull()
    expect(faultWithoutTarget(slow(145), 'transactional')).toBeNull()
    expect(faultWithoutTarget(slow(250), 'transactional')).not.toBeNull()
  })

  test('is reported if it is not in the catalogue', () => {
    expect(faultWithoutTarget(tally(250, { crsh: { runs: 110, cameUp: 90 } }))).toMatch(/unknown fault$/)
  })

  test('is not reported once it has struck in one run', () => {
    expect(faultWithoutTarget(tally(250, { crash: { runs: 249, cameUp: 0 } }, { crash: 1 }))).toBeNull()
  })

  test('may be bad luck in few runs, unless all runs plan it', () => {
    expect(faultWithoutTarget(tally(250, { crash: { runs: 40, cameUp: 0 } }))).toBeNull()
    expect(faultWithoutTarget(tally(40, { crash: { runs: 40, cameUp: 0 } }))).not.toBeNull()
    expect(faultWithoutTarget(tally(10, { crash: { runs: 10, cameUp: 0 } }))).toBeNull()
  })

  test('is counted over all workers', () => {
    const one = tally(90, { crash: { runs: 60, cameUp: 3 }, pause: { runs: 40, cameUp: 0 } })
    mergeTally(one, tally(90, { crash: { runs: 50, cameUp: 4 }, pause: { runs: 39, cameUp: 0 } }, { pause: 1 }))
    expect(one.unstruck.get('crash')).toEqual({ runs: 110, cameUp: 7 })
    expect(faultWithoutTarget(one)).toMatch(/^crash was planned in 110 runs/)
  })
})
