/** Faults of a real Cluster count only if their effect was observed. */

import { expect, it } from 'vitest'
import type { Plan, PlannedFault } from '../../../src/contract/api/plan.ts'
import type { LiveCluster } from '../../../src/live/cluster/live-cluster.ts'
import type { LiveEnvironment } from '../../../src/live/environment/environment.ts'
import { threeShards } from '../../sim/three-shards.ts'
import { describeLive, factsOf, type Lab, whereverAt } from '../lab.ts'

const onCluster = { shape: 'cluster', longestMs: 16_000 } as const

const atMs = (ms: number) => ({ at: 'time', ms }) as const
const primary = { who: 'primary', which: 0, withReplica: false }

const messages = [0, 400, 800, 1200].map((publishAtMs, at) => ({ key: `order-${at}`, payload: at, publishAtMs }))
const plan = (...faults: object[]): Partial<Plan> => ({
  redis: threeShards,
  messages,
  faults: faults as PlannedFault[],
})

/**
 * Each fault ends well before nodes call each other dead. Before it heals, busy nodes need time to
 * answer.
 */
const made: Record<string, Partial<Plan>> = {
  'a node, cut off from the others': plan({
    kind: 'machine-cut-off',
    ...primary,
    from: 'servers',
    when: atMs(100),
    healAfterMs: 500,
  }),
  'a node, cut off from all machines': plan({
    kind: 'machine-cut-off',
    ...primary,
    from: 'everybody',
    when: atMs(100),
    healAfterMs: 500,
  }),
  'a paused node': plan({ kind: 'slow-redis', when: atMs(100), healAfterMs: 500 }),
  'a dead replica': plan({
    kind: 'machine-restart',
    who: 'replica',
    which: 0,
    when: atMs(100),
    healAfterMs: 300,
  }),
  'a consumer, cut off from the nodes': {
    redis: threeShards,
    faults: whereverAt('partition', 'command-unsent', { node: 'redis', way: 'both', healAfterMs: 500 }),
  },
  'a slow link': {
    redis: threeShards,
    consumers: 1,
    effectTimeoutMs: 3000,
    faults: [{ kind: 'slow-link', when: atMs(0), consumer: 0, node: 'redis', extraMs: 30, healAfterMs: 2000 }],
  },
}

/** The evidence of a consumer that got no message. */
const idle = 'nothing was sent there meanwhile'

/** Takes an ability from the nodes once they serve. */
function without(lab: Lab, take: (cluster: LiveCluster) => void): LiveEnvironment {
  return {
    ...lab.environment,
    async startServers(shape, wish) {
      const servers = await lab.environment.startServers(shape, wish)
      take(servers.cluster!)
      return servers
    },
  }
}

describeLive('a fault of a Cluster', (lab) => {
  it.each(Object.entries(made))('counts if its effect was observed: %s', async (_, faulty) => {
    const run = await lab.run('reference', faulty, onCluster)
    const notSeen = run.notSeen.filter(({ why }) => why !== idle)
    expect({ unfit: run.unfit, notSeen, notMade: run.notMade }).toEqual({ unfit: null, notSeen: [], notMade: [] })
    expect(factsOf(run, 'fault-struck').map(({ fault }) => fault)).toContain(faulty.faults![0]!.kind)
    expect(factsOf(run, 'topology').filter(({ what }) => what === 'promoted')).toEqual([])
  })

  it('does not count if the cut was too short to be noticed', async () => {
    const cut = plan({ kind: 'machine-cut-off', ...primary, from: 'machines', when: atMs(100), healAfterMs: 1 })
    const run = await lab.run('reference', cut, onCluster)
    expect(run.notSeen).toEqual([{ fault: 'machine-cut-off', why: 'no node noticed that another one was gone' }])
    expect([...factsOf(run, 'fault-struck'), ...factsOf(run, 'fault-healed')]).toEqual([])
    expect(run.unfit).toBeNull()
  })

  it('does not count if the cut lets messages through, and the run is not judged', async () => {
    const environment = without(lab, ({ rules }) => {
      rules.cut = () => true
      rules.uncut = () => true
    })
    // Nodes exchange messages every half node time-out. A message counts as fresh from 250 ms on.
    const cut = plan({ kind: 'machine-cut-off', ...primary, from: 'servers', when: atMs(100), healAfterMs: 2000 })
    const run = await lab.run('reference', cut, { ...onCluster, environment })
    expect(run.unfit).toMatch(/^machine-cut-off had no effect: redis-\d[ab] still got messages from redis-\d[ab]$/)
    expect(factsOf(run, 'fault-struck')).toEqual([])
  })

  it('does not count if a paused node answers, and the run is not judged', async () => {
    const environment = without(lab, ({ nodes }) => {
      for (const { machine } of nodes) machine.freeze = async () => {}
    })
    const run = await lab.run('reference', made['a paused node']!, { ...onCluster, environment })
    expect(run.unfit).toMatch(/^slow-redis had no effect: redis-\da answered although it was stopped$/)
    expect(factsOf(run, 'fault-struck')).toEqual([])
  })

  it('is only listed if nodes do not support it', async () => {
    const run = await lab.run('reference', plan({ kind: 'redis-flushed', when: atMs(100) }), onCluster)
    const why = 'nodes of a Cluster can only be killed, stopped or cut off live'
    expect(run.notMade).toEqual([{ fault: 'redis-flushed', why }])
  })

  it('is missing if a node ends by itself, which ends the run with its name', async () => {
    const environment = without(lab, ({ nodes }) => void setTimeout(() => void nodes[3]!.machine.kill(), 1500))
    const late = { ...plan(), messages: [{ key: 'order-1', payload: 1, publishAtMs: 6000 }] }
    const run = lab.run('reference', late, { ...onCluster, environment })
    await expect(run).rejects.toThrow('the node redis-2b: it ended during the run')
  })
})
