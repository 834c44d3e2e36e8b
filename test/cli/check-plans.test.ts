import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cellNames } from '../../src/campaign/made/cell-scenario.ts'
import { limits } from '../../src/campaign/made/limit.ts'
import { rungName } from '../../src/campaign/made/rung-scenario.ts'
import { valuesTried } from '../../src/campaign/made/values-tried.ts'
import { usualWorst } from '../../src/campaign/made/worst-case.ts'
import { catalogue } from '../../src/cli/catalogue.ts'
import { checkPlans, loadScenario } from '../../src/cli/load-scenario.ts'
import type { Plan, PlannedFault } from '../../src/contract/api/plan.ts'
import type { Scenario } from '../../src/contract/api/scenario.ts'
import { clusterRedis, sentinelRedis } from '../../src/sim/plans/redis-plan.ts'
import { plansOf } from '../../src/sim/plans/workload.ts'

const crashes = plansOf({ faults: ['crash'] })

function check(plans: fc.Arbitrary<Plan>, shape: Scenario['shape'] = 'single'): () => void {
  const texts = { id: 's', story: '', assumptions: [], invariants: [], goals: [], recoveryCapMs: 1 }
  return () => checkPlans('s.ts', { ...texts, shape, plans })
}

describe('a scenario is rejected before any run', () => {
  it('if it plans a fault without a target in its Redis', () => {
    const faults = ['crash', 'machine-cut-off']
    expect(check(plansOf({ faults }))).toThrow(/it plans machine-cut-off, which needs another machine, and/)
    expect(check(plansOf({ faults, redis: sentinelRedis() }), 'sentinel')).not.toThrow()
  })

  it('but not if some of its deployments have a target', () => {
    const redis = sentinelRedis({ sentinels: fc.constant(0), replicas: fc.nat({ max: 1 }) })
    expect(check(plansOf({ faults: ['machine-restart'], redis }))).not.toThrow()
    const alone = sentinelRedis({ sentinels: fc.constant(0), replicas: fc.constant(0) })
    expect(check(plansOf({ faults: ['machine-restart'], redis: alone }))).toThrow(/it plans machine-restart/)
  })

  it('if it plans a fault at a time or a boundary that does not suit it', () => {
    const at = (when: PlannedFault['when'], kind = 'lost-reply') =>
      crashes.map((plan) => ({ ...plan, faults: [{ kind, when }] }))
    expect(check(at({ at: 'time', ms: 1 }))).toThrow(/it plans lost-reply, which needs the boundary command-executed/)
    expect(check(at({ at: 'command-executed', consumer: 0, nth: 1 }))).not.toThrow()
    const first = { consumer: 0, nth: 1 }
    expect(check(at({ at: 'effect-unapplied', ...first }))).toThrow(/it plans lost-reply/)
    expect(check(at({ at: 'effect-answered', ...first }, 'effect-fails-before'))).toThrow(
      /it plans effect-fails-before, which needs the boundary effect-unapplied .*effect-unsent if effects are rows/,
    )
  })

  it('if its shape differs from that of its plans', () => {
    expect(check(crashes, 'cluster')).toThrow(/its `shape` is cluster, but a plan's `redis` is single/)
    expect(check(plansOf({ faults: [], redis: clusterRedis() }))).toThrow(/a plan's `redis` is cluster/)
    expect(check(plansOf({ faults: [], redis: clusterRedis() }), 'cluster')).not.toThrow()
  })

  it('if it plans an unknown fault', () => {
    const misspelt = { kind: 'crsh', when: { at: 'time' as const, ms: 1 } }
    expect(check(crashes.map((plan) => ({ ...plan, faults: [misspelt] })))).toThrow(/crsh; did you mean crash\?/)
  })

  it('if it draws an invalid plan, or cannot draw any', () => {
    expect(check(crashes.map(({ leaseMs: _, ...rest }) => rest as Plan))).toThrow(/no `leaseMs` \(a number\)/)
    const drawing = (more: object) => check(crashes.map((plan) => ({ ...plan, ...more }) as Plan))
    expect(drawing({ redis: 5 })).toThrow("its plan's `redis` must be an object")
    expect(drawing({ redis: null })).toThrow("its plan's `redis` must be an object")
    expect(drawing({ messages: [{ key: 'a', publishAtMs: 1, payload: 1n }] })).toThrow(/cannot be drawn \(.*BigInt/)
    expect(drawing({ consumers: 0 })).toThrow(/`consumers` is 0; it must be a whole number from 1/)
    expect(drawing({ consumers: 2.5 })).toThrow(/`consumers` is 2\.5; it must be/)
    const when = { at: 'time', ms: 1 }
    for (const odd of [
      { healAfterMs: 'x' },
      { near: 3 },
      { message: -1 },
      { message: 0.5 },
      { when: { ...when, ms: -1 } },
    ])
      expect(drawing({ faults: [{ kind: 'late-copy', when, ...odd }] })).toThrow(
        /fault 1 lacks a kind, a time or a duration/,
      )
    expect(drawing({ faults: [{ kind: 'late-copy', when }] })).not.toThrow()
    const throwing = crashes.map((): Plan => {
      throw new Error('no luck')
    })
    expect(check(throwing)).toThrow(/its `plans` cannot be drawn \(no luck\)/)
  })
})

it('every scenario of the package, every cell of a configuration search, and every value of tune can be played', async () => {
  const tuned = limits.flatMap((limit) => valuesTried(limit, usualWorst).map((ms) => rungName(limit, ms, usualWorst)))
  const files = [...catalogue('scenario').map(({ path }) => path), ...cellNames(), ...tuned]
  for (const file of files) {
    const scenario = await loadScenario(file)
    expect(() => checkPlans(file, scenario)).not.toThrow()
  }
})
