import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aimOf, drawRun, plansOf } from '../../../src/campaign/play/draw-run.ts'
import type { Scenario } from '../../../src/contract/api/scenario.ts'
import { plansOf as plansOfWorkload } from '../../../src/sim/plans/workload.ts'

const planOf = (leaseMs: number) => plansOfWorkload({ faults: ['crash'], leaseMs: fc.constant(leaseMs) })
const aimed = { every: 3, draws: [1, 2].map((leaseMs) => ({ goals: [], plans: planOf(leaseMs) })) }
const texts = { id: 's', story: '', assumptions: [], invariants: [], goals: [], recoveryCapMs: 1, shape: 'single' }
const scenario = { ...texts, plans: planOf(0), aimed } as Scenario
const leasesOf = (seed: number, runs: readonly number[]) =>
  runs.map((run) => drawRun(scenario, seed, run).value.value.leaseMs)

describe('aimed runs', () => {
  it('depend on the run number only, with the draws taking turns', () => {
    const runs = [0, 1, 2, 3, 4, 5, 6, 7, 8]
    expect(leasesOf(1, runs)).toEqual([0, 0, 1, 0, 0, 2, 0, 0, 1])
    expect(leasesOf(2, runs)).toEqual(leasesOf(1, runs))
    expect(runs.map((run) => aimOf(aimed, run))).toEqual([null, null, 0, null, null, 1, null, null, 0])
  })

  it('have the plan of their seed and number, whatever was drawn before', () => {
    const plan = (seed: number, run: number) => JSON.stringify(drawRun(scenario, seed, run).value.value)
    const alone = plan(7, 5)
    for (const run of [0, 2, 3]) plan(7, run)
    expect(plan(7, 5)).toBe(alone)
    expect(plan(8, 5)).not.toBe(alone)
    expect(plan(7, 11)).not.toBe(alone)
  })

  it('do not change the plans of other runs', () => {
    const { aimed: _, ...aimless } = scenario
    for (const run of [0, 1, 3])
      expect(drawRun(scenario, 7, run).value.value).toEqual(drawRun(aimless, 7, run).value.value)
    expect(drawRun(scenario, 7, 2).value.value).not.toEqual(drawRun(aimless, 7, 2).value.value)
  })

  it('shrink along their own draw', () => {
    expect(plansOf(scenario, 2)).toBe(aimed.draws[0]!.plans)
    expect(plansOf(scenario, 5)).toBe(aimed.draws[1]!.plans)
    expect(plansOf(scenario, 4)).toBe(scenario.plans)
  })
})
