/** Makes several servers act in their steps. Servers, Sentinels and the replayer are fakes. */
import { afterEach, expect, it, vi } from 'vitest'
import { type NodeView, type Step, stepText } from '../../../src/contract/results/step.ts'
import { LiveProblem } from '../../../src/live/environment/problem.ts'
import { HeldCluster } from '../../../src/live/held/held-cluster.ts'
import { HeldSteps } from '../../../src/live/held/held-steps.ts'
import { stepOf } from '../../run/step-of.ts'

type Setting = ConstructorParameters<typeof HeldSteps>[0]

const promoted = 'redis-2 promoted'

/** A Sentinel that leads one failover, and is down at first. */
function lab(steps: readonly string[]) {
  const errors: unknown[] = []
  const wentOtherwise: string[] = []
  const asked: string[] = []
  const due = new Map<string, () => Promise<void>>()
  const sentinel = {
    name: 'sentinel-1',
    up: false,
    call: async (...words: string[]) => {
      if (!sentinel.up) throw new Error(`sentinel-1 is down and cannot execute ${words[0]}`)
      asked.push(words.join(' '))
      return words[1] === 'MASTER' ? ['flags', 'master', 'failover-timeout', '10000000'] : 'OK'
    },
  }
  const server = { name: 'redis-2', info: async () => new Map([['role', asked.length > 1 ? 'master' : 'slave']]) }
  const rules = { mayLearn: () => true, unaware: () => {}, learns: () => {}, allow: () => {}, forbid: () => {} }
  const setting = {
    deployment: {
      rules,
      nodes: [server],
      watchers: [sentinel],
      named: (name: string) => (name === 'redis-2' ? server : sentinel),
      hold: async () => {},
    },
    store: { promoted: vi.fn(async () => {}) },
    replayer: {
      taken: 0,
      take: (step: Step, work: () => Promise<void>) => Promise.resolve(void due.set(stepText(step), work)),
      wentOtherwise: (seen: string) => void wentOtherwise.push(seen),
    },
    schedule: { steps: steps.map((text) => ({ step: stepOf(text) })) },
    until: steps.length,
    failed: (error: unknown) => void errors.push(error),
  }
  const held = new HeldSteps(setting as unknown as Setting)
  return { held, setting, sentinel, due, errors, wentOtherwise, asked }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20))

it.each([
  ['the leading Sentinel', [promoted, 'sentinel-1 announces redis-2']],
  ['every Sentinel', [promoted]],
])('fails over in its step if %s was down at the disturbance of the primary', async (_, steps) => {
  const { held, setting, sentinel, due, errors, wentOtherwise, asked } = lab(steps)
  await held.begin()
  held.disturbed()
  await settled()
  expect(errors).toEqual([])
  const step = due.get(promoted)!()
  await settled()
  sentinel.up = true
  await step
  expect(setting.store.promoted).toHaveBeenCalledOnce()
  expect(asked).toContain('SENTINEL FAILOVER onceproof')
  expect([errors, wentOtherwise]).toEqual([[], []])
})

it('begins the failover before its step if the leading Sentinel is up', async () => {
  const { held, sentinel, asked } = lab([promoted, 'sentinel-1 announces redis-2'])
  sentinel.up = true
  await held.begin()
  held.disturbed()
  await settled()
  expect(asked).toContain('SENTINEL FAILOVER onceproof')
})

afterEach(() => void vi.useRealTimers())

/** Nodes that adopt a view at once, or never. */
function clusterLab(steps: readonly string[], known: readonly string[], obey = true) {
  const believed: string[] = []
  const views = new Map<string, NodeView>()
  const nobody: NodeView = { state: 'fail', shards: [], failing: [] }
  const due = new Map<string, () => Promise<void>>()
  const deployment = Object.assign(Object.create(HeldCluster.prototype), {
    rules: { bare: () => {} },
    bus: {
      isolate: () => {},
      believes: (server: string, view: NodeView) => {
        believed.push(`${server} ${view.shards.map(({ owner }) => owner).join(' ')}`)
        views.set(server, view)
      },
    },
    hold: async () => {},
    named: (name: string) => ({ name, up: true, frozen: false, call: async () => 'OK' }),
    reconnect: () => {},
    view: async ({ name }: { readonly name: string }) => (obey ? views.get(name)! : nobody),
  })
  const setting = {
    deployment,
    replayer: { take: (step: Step, work: () => Promise<void>) => Promise.resolve(void due.set(stepText(step), work)) },
    schedule: { steps: steps.map((text) => ({ step: stepOf(text), server: null })), known: known.map(stepOf) },
    until: steps.length,
    failed: () => {},
  }
  return { held: new HeldSteps(setting as unknown as Setting), due, believed }
}

it('gives a node one view at a time, even if no client sees the first', async () => {
  const [first, unseen, seen] = ['redis-1a knows ok redis-1b', 'redis-2a knows ok -', 'redis-2a knows ok redis-1b']
  const asks = ['consumer-1 asks redis-1a cluster-slots', 'consumer-1 asks redis-2a cluster-slots']
  const { held, due, believed } = clusterLab([first!, unseen!, seen!, ...asks], [])
  await held.begin()
  await due.get(first!)!()
  expect(believed).toEqual(['redis-1a redis-1b'])
  await due.get(unseen!)!()
  await due.get(seen!)!()
  expect(believed).toEqual(['redis-1a redis-1b', 'redis-2a ', 'redis-2a redis-1b'])
})

it('gives several nodes their views in parallel', async () => {
  const [first, second] = ['redis-1a knows ok redis-1b', 'redis-2a knows ok redis-1b']
  const asks = ['consumer-1 asks redis-1a cluster-slots', 'consumer-1 asks redis-2a cluster-slots']
  const { held, due, believed } = clusterLab([first!, second!, ...asks], [])
  await held.begin()
  await due.get(first!)!()
  expect(believed).toEqual(['redis-1a redis-1b', 'redis-2a redis-1b'])
})

it('reports nodes that do not adopt their initial view', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const { held } = clusterLab([], ['redis-1a knows ok redis-1a'], false)
  const begun = held.begin().catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(20_000)
  const problem = await begun
  expect(problem).toBeInstanceOf(LiveProblem)
  expect((problem as LiveProblem).message).toContain('the nodes of the Cluster: they do not reach the state of the run')
})

it('begins if nodes adopt their initial view', async () => {
  const { held, believed } = clusterLab([], ['redis-1a knows ok redis-1a'])
  await held.begin()
  expect(new Set(believed)).toEqual(new Set(['redis-1a redis-1a']))
})
