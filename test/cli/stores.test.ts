/**
 * Layers and scenarios on PostgreSQL, beside those on Redis: which of them are played together, and
 * which are refused with a message that names them.
 */
import { describe, expect, it } from 'vitest'
import { unusable } from '../../src/campaign/play/unusable.ts'
import { planProblem } from '../../src/campaign/token/plan-problem.ts'
import { checkPlans } from '../../src/cli/load-scenario.ts'
import { storesOf } from '../../src/cli/stores-of.ts'
import type { Plan } from '../../src/contract/api/plan.ts'
import { defineScenario, type Scenario } from '../../src/contract/api/scenario.ts'
import { type StoreKind, sharesStore } from '../../src/contract/api/store.ts'
import { adapterProblem } from '../../src/sim/adapters/adapter-problem.ts'
import { onPostgres as befallingPostgres } from '../../src/sim/plans/postgres-plan.ts'
import { plansOf } from '../../src/sim/plans/workload.ts'

const redis: { readonly id: string; readonly stores?: readonly StoreKind[] } = { id: 'layer' }
const onPostgres = { id: 'layer', stores: ['postgres'] } as const
const onBoth = { id: 'layer', stores: ['redis', 'postgres'] } as const
const aboutRedis: Pick<Scenario, 'id' | 'shape' | 'stores'> = { id: 'redis-restart', shape: 'single' }
const aboutPostgres = { id: 'postgres-crash', shape: 'single', stores: ['postgres'] } as const
const aboutNeither = { id: 'only-crashes', shape: 'single', stores: ['redis', 'postgres'] } as const

describe('a scenario is played with layers that use one of its stores', () => {
  it.each([
    ['Redis with Redis', redis, aboutRedis, true],
    ['Redis with PostgreSQL', redis, aboutPostgres, false],
    ['PostgreSQL with Redis', onPostgres, aboutRedis, false],
    ['PostgreSQL with PostgreSQL', onPostgres, aboutPostgres, true],
    ['PostgreSQL with any store', onPostgres, aboutNeither, true],
    ['both stores with PostgreSQL', onBoth, aboutPostgres, true],
  ])('%s', (_, layer, scenario, isPlayed) => {
    expect(sharesStore(layer, scenario)).toBe(isPlayed)
    expect(unusable(layer, scenario) === null).toBe(isPlayed)
  })

  it('and skipped with the reason otherwise', () => {
    expect(unusable(onPostgres, aboutRedis)).toBe(
      'layer × redis-restart: skipped, tests Redis, but layer keeps its records in PostgreSQL',
    )
  })

  it('a scenario about the answers of the sink is not played on a transactional sink', () => {
    const aboutAnswers = { ...aboutPostgres, id: 'sink-errors', notOnSink: 'transactional' } as const
    expect(unusable(onPostgres, aboutAnswers, 'keyed')).toBeNull()
    expect(unusable(onPostgres, aboutAnswers, 'transactional')).toBe(
      'layer × sink-errors: skipped, tests answers of the sink, and a transactional sink gives none',
    )
  })

  it('even if an unused Redis has another shape', () => {
    const behindSentinels = { ...aboutNeither, shape: 'cluster' } as const
    expect(unusable(onPostgres, behindSentinels)).toBeNull()
    expect(unusable(onBoth, behindSentinels)).toContain('a Redis Cluster')
  })
})

describe('an adapter', () => {
  const create = () => {}

  it('must name existing stores', () => {
    expect(adapterProblem({ id: 'layer', create, stores: ['postgres'] })).toBeNull()
    expect(adapterProblem({ id: 'layer', create, stores: ['mysql'] })).toMatch(/`stores` .* mysql; known: redis, post/)
  })

  it('must declare valid `bindsProducedAt`, `maxClockSkewMs` and `answersWithinMs`', () => {
    expect(adapterProblem({ id: 'layer', create, bindsProducedAt: true, maxClockSkewMs: 0 })).toBeNull()
    expect(adapterProblem({ id: 'layer', create, bindsProducedAt: false })).toContain('`bindsProducedAt`')
    expect(adapterProblem({ id: 'layer', create, maxClockSkewMs: -1 })).toContain('`maxClockSkewMs`')
    expect(adapterProblem({ id: 'layer', create, answersWithinMs: 1 })).toBeNull()
    for (const answersWithinMs of [0, Number.NaN, 1.5, '1'])
      expect(adapterProblem({ id: 'layer', create, answersWithinMs })).toContain('`answersWithinMs`')
  })

  it('must declare checkable reasons to dead-letter', () => {
    const failed = { reason: 'failed: 3 attempts', attempts: 3 }
    const counts = { ...failed, retry: 'prepare-failed' }
    for (const deadLetterReasons of [
      { failed },
      { failed: counts },
      { vanished: 'gone' },
      { failed, vanished: 'gone' },
    ])
      expect(adapterProblem({ id: 'layer', create, deadLetterReasons })).toBeNull()
    const wrong = [
      {},
      null,
      'gone',
      { gone: 'gone' },
      { vanished: '' },
      { failed: 3 },
      { failed: { reason: 'failed' } },
    ]
    const misspelt = [{ attempts: 0 }, { retry: '' }, { retries: 'prepare-failed' }].map((said) => ({
      failed: { ...failed, ...said },
    }))
    for (const deadLetterReasons of [...wrong, ...misspelt])
      expect(adapterProblem({ id: 'layer', create, deadLetterReasons })).toContain('`deadLetterReasons`')
  })

  it('can use a transactional sink if its store has transactions', () => {
    const sinks = ['transactional']
    expect(adapterProblem({ id: 'layer', create, sinks, stores: ['postgres'] })).toBeNull()
    expect(adapterProblem({ id: 'layer', create, sinks })).toContain("add stores: ['postgres']")
  })

  it('is refused if its store exists only in the simulator', async () => {
    const loaded = (stores?: readonly StoreKind[]) =>
      ({ loadImplementation: async () => ({ implementation: { id: 'layer', ...(stores && { stores }) } }) }) as never
    const choice = [{ implementationPath: 'layer.ts' }] as never
    await expect(storesOf(choice, 'live', loaded(['dynamodb']))).rejects.toThrow(/dynamodb.*`live` does not have/)
    await expect(storesOf(choice, 'replay-live', loaded(['dynamodb']))).rejects.toThrow(
      /dynamodb.*`replay-live` does not have/,
    )
    for (const command of ['live', 'replay-live'] as const)
      await expect(storesOf(choice, command, loaded(['postgres']))).resolves.toEqual(new Set(['postgres']))
    await expect(storesOf(choice, 'live', loaded())).resolves.toEqual(new Set(['redis']))
  })
})

describe('a scenario', () => {
  const planned = (kind: string, stores: readonly StoreKind[] | undefined, map = (plan: Plan) => plan) => {
    const plans = plansOf({ faults: [kind] }).map(map)
    const source = {
      id: 'mine',
      story: '',
      shape: 'single',
      assumptions: [],
      goals: [],
      recoveryCapMs: 1,
      plans,
    } as const
    checkPlans('mine.ts', defineScenario({ ...source, ...(stores && { stores }) }))
  }

  it('must declare the stores that its faults strike', () => {
    expect(() => planned('postgres-restart', ['postgres'])).not.toThrow()
    expect(() => planned('postgres-restart', undefined)).toThrow(
      'it plans postgres-restart, a fault of postgres, which its `stores` lack',
    )
  })

  it.each(['redis-restart', 'redis-flushed', 'eviction', 'slow-redis', 'scripts-flushed', 'error-reply'])(
    'may plan %s of Redis if it declares Redis',
    (kind) => {
      expect(() => planned(kind, ['postgres'])).toThrow(`it plans ${kind}, a fault of redis, which its`)
      expect(() => planned(kind, ['redis', 'postgres'])).not.toThrow()
      expect(() => planned(kind, undefined)).not.toThrow()
    },
  )

  it.each(['partition', 'slow-link', 'clock-step', 'clock-drift', 'clock-frozen'])(
    'may plan %s only for a server in its deployment',
    (kind) => {
      expect(() => planned(kind, ['postgres'])).toThrow(/a fault of redis, which its `stores` lack; .*`onPostgres`/)
      expect(() => planned(kind, ['postgres'], befallingPostgres)).not.toThrow()
      expect(() => planned(kind, undefined)).not.toThrow()
      expect(() => planned(kind, undefined, befallingPostgres)).toThrow('a fault of postgres')
    },
  )

  it.each(['crash', 'pause', 'lost-reply', 'lost-request', 'connection-reset', 'dns-failure'])(
    'may plan %s with any store',
    (kind) => expect(() => planned(kind, ['postgres'])).not.toThrow(),
  )

  it.each(['machine-cut-off', 'machine-restart', 'machine-forgotten'])('may plan %s if it declares Redis', (kind) =>
    expect(() => planned(kind, ['postgres'])).toThrow('a fault of redis'),
  )
})

it('a plan may have complete settings of PostgreSQL, or none', () => {
  const plan = {
    ...{ consumers: 1, leaseMs: 1, retentionMs: 1, visibilityMs: 1, redeliveryMs: 1, maxAttempts: 1 },
    ...{ effectMs: 1, effectTimeoutMs: 1, messages: [{ key: 'k', payload: 1, publishAtMs: 0 }], faults: [] },
  }
  const postgres = { synchronousCommit: false, maxConnections: 100, recoveryMs: 0 }
  expect(planProblem({ ...plan, postgres })).toBeNull()
  expect(planProblem({ ...plan, postgres: { ...postgres, maxConnections: 0 } })).toContain('`postgres` lacks')
  expect(planProblem(plan)).toBeNull()
})
