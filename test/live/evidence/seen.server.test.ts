/**
 * Faults of a live run count as struck only if their effect was observed, not if a proxy merely
 * accepted an order.
 */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { livePair } from '../../../src/campaign/live/live-pair.ts'
import { createDeps } from '../../../src/cli/create-deps.ts'
import { createLiveHost } from '../../../src/cli/live-host.ts'
import type { Plan, PlannedFault } from '../../../src/contract/api/plan.ts'
import { describeLive, factsOf, whereverAt } from '../lab.ts'
import { IdleProxy } from './idle-proxy.ts'

const at = (kind: string, more: object): PlannedFault => ({ kind, ...more }) as unknown as PlannedFault
const soon = { when: { at: 'time', ms: 0 } }
const both = [0, 1]
/** The consumer that gets the message uses the link during the fault. */
const ofBoth = (kind: string, more: object) => both.map((consumer) => at(kind, { ...soon, consumer, ...more }))

const faultsOfLinks: Record<string, Partial<Plan>> = {
  'a lost reply': { faults: whereverAt('lost-reply', 'command-executed') },
  'a lost request': { faults: whereverAt('lost-request', 'command-unexecuted') },
  'a partition from Redis': {
    faults: whereverAt('partition', 'command-unsent', { node: 'redis', way: 'both', healAfterMs: 500 }),
  },
  'replies that are blocked': {
    faults: whereverAt('partition', 'command-executed', { node: 'redis', way: 'to-process', healAfterMs: 500 }),
  },
  'a partition from the sink': {
    faults: whereverAt('partition', 'effect-unsent', { node: 'sink', way: 'to-node', healAfterMs: 500 }),
  },
  'a slow link to the sink': {
    faults: ofBoth('slow-link', { node: 'sink', extraMs: 300, healAfterMs: 3000 }),
    effectTimeoutMs: 3000,
  },
  'a reset': { faults: whereverAt('connection-reset', 'effect-unsent') },
}

describeLive('a fault of a link', (lab) => {
  it.each(Object.entries(faultsOfLinks))('counts if its effect was observed: %s', async (_, plan) => {
    const run = await lab.run('000-set-nx-marker', plan)
    expect({ unfit: run.unfit, notSeen: run.notSeen.filter(({ why }) => why !== idle) }).toEqual({
      unfit: null,
      notSeen: [],
    })
    expect(factsOf(run, 'fault-struck').length).toBeGreaterThan(0)
  })

  it.each(Object.entries(faultsOfLinks))('does not count if the proxy does nothing: %s', async (_, plan) => {
    const proxy = new IdleProxy()
    const environment = { ...lab.environment, redisProxy: proxy, sinkProxy: proxy }
    const run = await lab.run('000-set-nx-marker', plan, { environment })
    await proxy.close()
    const kind = plan.faults![0]!.kind
    expect(run.unfit).toMatch(new RegExp(`^${kind} had no effect: `))
    expect(run.notSeen.map(({ fault }) => fault)).toContain(kind)
    for (const type of ['fault-struck', 'fault-healed', 'reply-lost', 'request-lost'] as const)
      expect(factsOf(run, type)).toEqual([])
  })
})

describeLive('forgotten connections', (lab) => {
  const plans: Record<string, Partial<Plan>> = {
    'before a command': { faults: whereverAt('half-open', 'command-unsent') },
    'before a reply': { faults: whereverAt('half-open', 'command-executed') },
    'around an effect': { faults: whereverAt('half-open', 'effect-applied') },
  }

  it.each(Object.entries(plans))('count if nothing arrived on them afterwards: %s', async (_, plan) => {
    const run = await lab.run('reference', plan)
    expect([run.unfit, run.notMade]).toEqual([null, []])
    expect(run.notSeen.filter(({ why }) => why !== 'nothing was sent on it')).toEqual([])
    expect(factsOf(run, 'fault-struck').length).toBeGreaterThan(0)
    expect(factsOf(run, 'settled').map(({ as }) => as)).toEqual([expect.stringMatching('done|dead-lettered')])
  })

  it('do not count if the proxy forgets none', async () => {
    const proxy = new IdleProxy()
    const environment = { ...lab.environment, redisProxy: proxy, sinkProxy: proxy }
    const run = await lab.run('reference', plans['before a command']!, { environment })
    await proxy.close()
    expect(run.unfit).toBe('half-open had no effect: a half-open connection was answered')
    expect(factsOf(run, 'fault-struck')).toEqual([])
  })
})

/** The evidence of a consumer that got no message. */
const idle = 'nothing was sent there meanwhile'

describeLive('a fault of a process, a clock or a server', (lab) => {
  const plans: Record<string, Partial<Plan>> = {
    'a crash': { faults: whereverAt('crash', 'effect-applied', { healAfterMs: 50 }), leaseMs: 1000 },
    'a pause': { faults: whereverAt('pause', 'effect-unsent', { healAfterMs: 300 }) },
    'a clock step': { faults: [at('clock-step', { ...soon, machine: 0, byMs: 60_000, healAfterMs: 400 })] },
    'a drifting clock': { faults: [at('clock-drift', { ...soon, machine: 0, percent: 100, healAfterMs: 400 })] },
    'a stopped clock': { faults: [at('clock-frozen', { ...soon, machine: 0, healAfterMs: 400 })] },
    'a paused Redis': { faults: [at('slow-redis', { ...soon, healAfterMs: 400 })] },
  }
  it.each(Object.entries(plans))('counts if its effect was observed: %s', async (_, plan) => {
    const run = await lab.run('reference', plan)
    expect({ unfit: run.unfit, notSeen: run.notSeen }).toEqual({ unfit: null, notSeen: [] })
    expect(factsOf(run, 'fault-struck').length).toBeGreaterThan(0)
  })

  it('is described as drift of the wall clock, because timers do not drift', async () => {
    const run = await lab.run('reference', plans['a drifting clock']!)
    expect(factsOf(run, 'fault-struck').map(({ sentence }) => sentence)).toEqual([
      'the wall clock of consumer-1 runs 100 % too fast',
    ])
  })
})

describeLive('a live command whose proxy does nothing', (lab) => {
  const folder = fileURLToPath(new URL('../../../', import.meta.url))

  it.each(['lost-reply', 'network-partition'])(
    'does not pass, and lists the goals that were not reached: %s',
    async (scenario) => {
      const proxy = new IdleProxy()
      const environment = { ...lab.environment, redisProxy: proxy, sinkProxy: proxy }
      const deps = createDeps(() => false)
      const wish = { timeScale: 0.2, marginMs: 60_000, longestMs: 12_000, stopped: () => false }
      const host = createLiveHost(environment, lab.directory, wish)
      const choice = {
        implementationPath: path.join(folder, 'implementations/reference/reference.ts'),
        implementationName: 'reference',
        scenarioPath: path.join(folder, `scenarios/${scenario}.ts`),
        scenarioName: scenario,
        sink: 'plain',
        corpus: [],
        runMs: 1,
      } as const
      const plans = { seed: 1, run: null, recorded: null, runs: 1 }
      const request = { ...plans, timeScale: 0.2, longestMs: 12_000, again: () => '' }
      const pair = await livePair(choice, request, { deps, host, progress: () => {} })
      await proxy.close()
      expect(pair.verdict).toBe('unknown')
      expect(pair.reason).toMatch(/had no effect/)
      expect(pair.live!.notSeen.length).toBeGreaterThan(0)
      expect(Object.values(pair.goals).filter((runs) => runs !== 'n/a' && runs > 0)).toEqual([])
    },
  )
})
