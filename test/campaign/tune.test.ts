import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runTune } from '../../src/campaign/conduct/run-tune.ts'
import { goals } from '../../src/campaign/goals/index.ts'
import { limits } from '../../src/campaign/made/limit.ts'
import { isMadeName, madeScenario } from '../../src/campaign/made/made-scenario.ts'
import { rungName, rungScenario } from '../../src/campaign/made/rung-scenario.ts'
import { valuesTried } from '../../src/campaign/made/values-tried.ts'
import { leastWorst, mostWorst, usualWorst } from '../../src/campaign/made/worst-case.ts'
import { boundsProblem } from '../../src/campaign/token/plan-bounds.ts'
import { planProblem } from '../../src/campaign/token/plan-problem.ts'
import type { CampaignDeps } from '../../src/campaign/types.ts'
import type { TimeLimit } from '../../src/contract/results/tune.ts'
import { crashScenario, fakeBench, fakeContext, type Misbehaviour } from './fake-deps.ts'

const worst = { workMs: 100, pauseMs: 200, skewMs: 0, redeliveryMs: 1000 }
const [lease, retention] = limits as [(typeof limits)[number], (typeof limits)[number]]

/** A fake that has its bug if `breaks` returns true for the value of a limit. */
function play(breaks: (limit: string, valueMs: number) => boolean, how: Misbehaviour = {}) {
  const [sound, broken] = [fakeBench({ ...how, sound: true }), fakeBench(how)]
  const deps: CampaignDeps = {
    ...sound,
    loadScenario: async (path) => ({ ...crashScenario(), id: path }),
    runWorld(request) {
      const [, limit = '', value] = /^tune\/(\w+)\/(\d+)ms/.exec(request.scenario.id) ?? []
      const isBroken = request.implementation.path === 'control' || breaks(limit, Number(value))
      return (isBroken ? broken : sound).runWorld(request)
    },
  }
  const ref = (name: string) => ({ implementationPath: name, implementationName: name, sink: 'plain' as const })
  const subjects = [{ ...ref('layer'), id: 'layer', expect: 'holds' as const }]
  const control = { ...ref('control'), scenarioPath: 'control', scenarioName: 'control', corpus: [], runMs: 1 }
  const explain = { layer: 0, path: 1_000, checks: 0 }
  const request = { subjects, worst, runs: 20, control, seed: 1, explain, reports: 'reports' }
  return runTune(request, fakeContext(deps)).then((outcome) => ({
    ...outcome,
    of: (limit: TimeLimit) => outcome.layers[0]!.limits.find((one) => one.limit === limit)!,
  }))
}

describe('the search for the value of a limit', () => {
  test('returns the smallest value that holds, and a token of a violation at the next smaller one', async () => {
    const { of, exitCode } = await play((limit, ms) => limit === 'lease' && ms < 300)
    const { holdsFromMs, refutedMs, rungs } = of('lease')
    expect({ holdsFromMs, refutedMs }).toEqual({ holdsFromMs: 300, refutedMs: 200 })
    const refuted = rungs.find(({ valueMs }) => valueMs === 200)!
    expect(refuted).toMatchObject({ verdict: 'breaks', runs: 20, violation: { invariant: 'at-most-once' } })
    expect(refuted.violation).toMatchObject({ shrunk: true, token: expect.stringMatching(/^op2_/) })
    expect(refuted.pair!.scenario).toBe('tune/lease/200ms/work-100ms+pause-200ms+skew-0ms')
    expect(refuted.runsBroken).toBeGreaterThan(0)
    expect(rungs.find(({ valueMs }) => valueMs === 300)).toMatchObject({ verdict: 'holds', runs: 20, runsBroken: 0 })
    expect(exitCode).toBe(0)
  })

  test('returns the shortest value tried if the layer always holds', async () => {
    const { of } = await play(() => false)
    for (const limit of [lease, retention]) {
      const { rungs, holdsFromMs, refutedMs } = of(limit.id)
      expect({ holdsFromMs, refutedMs }).toEqual({ holdsFromMs: rungs[0]!.valueMs, refutedMs: null })
      expect(rungs.every(({ violation }) => violation === null)).toBe(true)
    }
  })

  test('returns no value if the layer never holds, and the token of the longest value tried', async () => {
    const { of, exitCode } = await play((limit) => limit === 'lease')
    const { rungs, holdsFromMs, refutedMs } = of('lease')
    expect({ holdsFromMs, refutedMs }).toEqual({ holdsFromMs: null, refutedMs: rungs.at(-1)!.valueMs })
    expect(rungs.at(-1)!.violation).toMatchObject({ shrunk: true, token: expect.stringMatching(/^op2_/) })
    expect(exitCode).toBe(0)
  })

  test('rejects a value that held by chance below one that breaks', async () => {
    const { of } = await play((limit, ms) => limit === 'lease' && (ms < 100 || ms === 400))
    expect(of('lease')).toMatchObject({ holdsFromMs: 600, refutedMs: 400 })
  })

  test('is unknown without the required state, and exits with 4', async () => {
    const { of, exitCode } = await play(() => false, { neverReaches: true })
    expect(of('lease')).toMatchObject({ holdsFromMs: null })
    expect(of('lease').rungs.at(-1)).toMatchObject({
      verdict: 'unknown',
      reason: expect.stringContaining('not reached'),
    })
    expect(exitCode).toBe(4)
  })

  test('exits with 3 if the control survives', async () => {
    expect((await play(() => false, { sound: true })).exitCode).toBe(3)
  })

  test('gives no unfinished answer after an interruption', async () => {
    const { of, exitCode } = await play(() => false, { stopped: () => true })
    expect(of('lease')).toMatchObject({ holdsFromMs: null })
    expect(exitCode).toBe(130)
  })
})

describe('the tried values of a limit', () => {
  test('range from far below the worst case to at most four times of it', () => {
    for (const limit of limits)
      for (const one of [usualWorst, leastWorst, mostWorst, worst]) {
        const allMs = limit.outlasts.reduce((sum, part) => sum + one[part], 0)
        const rungs = valuesTried(limit, one)
        expect(rungs).toEqual([...new Set(rungs)].sort((a, b) => a - b))
        expect(rungs.length).toBeGreaterThan(4)
        expect(rungs[0]!).toBeLessThan(Math.max(11, allMs / 8))
        expect(rungs.at(-1)!).toBeGreaterThanOrEqual(4 * allMs)
        expect(rungs.at(-2)!).toBeLessThan(Math.max(4 * allMs, 40))
      }
  })
})

describe('the scenario of a value', () => {
  const names = [usualWorst, leastWorst, mostWorst, worst].flatMap((one) =>
    limits.flatMap((limit) => valuesTried(limit, one).map((ms) => rungName(limit, ms, one))),
  )

  test('is found by its name alone, as workers and tokens need', () => {
    for (const name of names) {
      expect(isMadeName(name)).toBe(true)
      expect(madeScenario(name)!.id).toBe(name)
    }
  })

  test.each([
    'tune/lease/5000ms/work-100ms+pause-200ms+skew-0ms',
    'tune/lease/300ms/work-100ms',
    'tune/lease/300ms/pause-200ms+work-100ms+skew-0ms',
    'tune/lease/300ms/work-0100ms+pause-200ms+skew-0ms',
    'tune/lease/300ms/work-100ms+pause-200ms+skew-0ms+redelivery-1000ms',
    'tune/heartbeat/300ms/work-100ms',
    'tune/lease/300ms/work-900000000ms+pause-200ms+skew-0ms',
  ])('does not have the name %s', (name) => {
    expect(isMadeName(name)).toBe(true)
    expect(rungScenario(name)).toBeNull()
  })

  test('is not a file', () => {
    expect(isMadeName('tune/lease.ts')).toBe(false)
    expect(isMadeName('./tune/lease/300ms/work-100ms')).toBe(false)
  })

  test('requires an existing goal', () => {
    const known = new Set(goals.map(({ name }) => name))
    expect(limits.filter(({ goal }) => !known.has(goal))).toEqual([])
  })

  test('draws valid plans with its value that never exceed the worst case', () => {
    for (const one of [usualWorst, leastWorst, mostWorst]) {
      for (const plan of fc.sample(lease.plans(400, one), { numRuns: 100, seed: 1 })) {
        expect(planProblem(plan) ?? boundsProblem(plan)).toBeNull()
        expect(plan.leaseMs).toBe(400)
        expect(plan.effectMs).toBeLessThanOrEqual(one.workMs)
        for (const { kind, healAfterMs = 0, byMs = 0, near } of plan.faults) {
          expect(near).toBeUndefined()
          if (kind === 'pause') expect(healAfterMs).toBeLessThanOrEqual(one.pauseMs)
          if (kind === 'clock-step') expect(Math.abs(Number(byMs))).toBeLessThanOrEqual(one.skewMs)
        }
      }
      for (const plan of fc.sample(retention.plans(800, one), { numRuns: 100, seed: 1 })) {
        expect(planProblem(plan) ?? boundsProblem(plan)).toBeNull()
        expect(plan.retentionMs).toBe(800)
        expect(plan.leaseMs).toBeLessThanOrEqual(800)
        const late = plan.faults.filter(({ kind }) => kind === 'late-copy')
        expect(late.length).toBeGreaterThan(0)
        for (const { healAfterMs } of late) expect(healAfterMs).toBeLessThanOrEqual(one.redeliveryMs)
      }
    }
  })

  test('draws the worst case itself, and no pause or clock step without one', () => {
    const plans = fc.sample(lease.plans(400, usualWorst), { numRuns: 100, seed: 1 })
    const has = (kind: string, ms: number) =>
      plans.some(({ faults }) => faults.some((fault) => fault.kind === kind && fault.healAfterMs === ms))
    expect(plans.some(({ effectMs }) => effectMs === usualWorst.workMs)).toBe(true)
    expect(has('pause', usualWorst.pauseMs)).toBe(true)
    const calm = fc.sample(lease.plans(400, { ...usualWorst, pauseMs: 0, skewMs: 0 }), { numRuns: 50, seed: 1 })
    expect(new Set(calm.flatMap(({ faults }) => faults.map(({ kind }) => kind)))).toEqual(
      new Set(['duplicate-delivery']),
    )
  })
})
