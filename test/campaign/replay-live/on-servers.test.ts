/** If and how fast a violating run can be replayed on real servers. */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { OnServers } from '../../../src/campaign/play/executor.ts'
import type { LoadedPair } from '../../../src/campaign/play/load-pair.ts'
import { firstIfSoon, onServers, sooner, whyNot } from '../../../src/campaign/replay-live/on-servers.ts'
import { scheduleOfRun } from '../../../src/campaign/replay-live/run-schedule.ts'
import { createDeps } from '../../../src/cli/create-deps.ts'
import type { Plan } from '../../../src/contract/api/plan.ts'
import { planned, recordedRun, scenarioOf, twice } from './recorded.ts'

const folder = fileURLToPath(new URL('../../../implementations/articles/', import.meta.url))
const deps = { ...createDeps(() => false), servers: createDeps(() => false).servers! }

async function made(layer: string, plan: Partial<Plan>, changes: (pair: LoadedPair) => LoadedPair = (same) => same) {
  const implementation = await deps.loadImplementation(path.join(folder, `${layer}.ts`))
  const pair: LoadedPair = { scenario: scenarioOf('single'), implementation }
  const recorded = recordedRun(layer, plan)
  const { result, broke } = await scheduleOfRun(pair, recorded, deps, { looks: true })
  return onServers(recorded, result, broke!, changes(pair), deps)
}

const crash = planned('crash', { at: 'effect-applied', consumer: 0, nth: 1 }, { healAfterMs: 100 })
/** The second copy finds that the claim of the first one has ended. */
const crashed = (publishAtMs: number, more: Partial<Plan> = {}): Partial<Plan> => ({
  leaseMs: 3_000,
  visibilityMs: 300_000,
  messages: [0, publishAtMs].map((at) => ({ key: 'order-1', payload: 1, publishAtMs: at })),
  faults: [crash],
  ...more,
})

describe('a run that broke', () => {
  it('is fast on real servers if it waits for no lease', async () => {
    const one = await made('001-get-set', twice)
    expect(one).toMatchObject({ breaks: { invariant: 'at-most-once', kind: 'duplicate', decidedBy: 'GET: nothing' } })
    expect('ms' in one && one.ms).toBeLessThan(2_000)
  })

  it('takes as long as a lease that has to end, and no longer', async () => {
    for (const at of [10_000, 200_000]) {
      const one = await made('000-get-set-record-lease', crashed(at))
      expect('ms' in one && one.ms).toBeGreaterThan(3_000)
      expect('ms' in one && one.ms).toBeLessThan(6_000)
    }
  })

  it('cannot be replayed with a clock step of Redis, but with one of a consumer', async () => {
    const steps = (machine: number) => planned('clock-step', { at: 'time', ms: 60_000 }, { machine, byMs: 90_000 })
    const faults = (machine: number) => crashed(100_000, { faults: [crash, steps(machine)] })
    const one = await made('000-get-set-record-lease', faults(-1))
    expect(one).toMatchObject({ reason: 'fault' })
    expect(whyNot(one as never)).toBe('clock-step (redis-server does not start under libfaketime)')
    expect(await made('000-get-set-record-lease', faults(0))).toHaveProperty('ms')
  })

  it('cannot be replayed if it waits until a machine gives up a forgotten connection', async () => {
    const forgotten = (at: object) => planned('half-open', { consumer: 0, ...at })
    const one = await made('002-owner-token', { faults: [forgotten({ at: 'command-unsent', nth: 2 })] })
    expect(one).toEqual({ reason: 'given-up', what: 'consumer-1' })
    const faults = [...twice.faults!, forgotten({ at: 'answered', nth: 1 })]
    expect(await made('001-get-set', { faults })).toHaveProperty('ms')
  })

  it('cannot be replayed if the layer uses DynamoDB or is a mutant', async () => {
    const elsewhere = await made('001-get-set', twice, (pair) => {
      const implementation = { ...pair.implementation.implementation, stores: ['dynamodb'] as const }
      return { ...pair, implementation: { ...pair.implementation, implementation } }
    })
    expect(whyNot(elsewhere as never)).toBe('its records are in a store without a real server: dynamodb')
    const mutant = await made('001-get-set', twice, (pair) => ({
      ...pair,
      implementation: { ...pair.implementation, mutant: true },
    }))
    expect(whyNot(mutant as never)).toBe('such a layer runs only in the simulator')
  })
})

describe('the choice between two runs', () => {
  const taking = (ms: number, redis?: object) => ({ ms, recorded: { plan: { redis } } }) as unknown as OnServers
  const never = { reason: 'disk', what: null } as const

  it('prefers a feasible run to an infeasible one, and then the faster one', () => {
    expect(sooner(taking(2), taking(1))).toEqual(taking(1))
    expect(sooner(never, taking(1))).toEqual(taking(1))
    expect(sooner(taking(1), never)).toEqual(taking(1))
    expect(sooner(undefined, never)).toEqual(never)
  })

  it('takes the first run if it is fast enough', () => {
    expect(firstIfSoon(taking(9_000), taking(1))).toEqual(taking(9_000))
    expect(firstIfSoon(taking(11_000), taking(1))).toEqual(taking(1))
  })

  it('takes the faster run if the first one needs several servers', () => {
    expect(firstIfSoon(taking(9_000, {}), taking(1))).toEqual(taking(1))
  })
})
