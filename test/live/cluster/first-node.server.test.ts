/** The first node of a Cluster, which the harness also reaches like a single server. */

import { keySlot } from 'redis-sim/cluster'
import { expect, it } from 'vitest'
import { failoverPlans } from '../../../src/campaign/live/failover-plans.ts'
import type { LiveCluster } from '../../../src/live/cluster/live-cluster.ts'
import type { LiveEnvironment } from '../../../src/live/environment/environment.ts'
import { firstSlotOf } from '../../../src/run/cluster-nodes.ts'
import { describeLive, factsOf } from '../lab.ts'

const { plan } = failoverPlans['cluster-failover']![2]!
const redis = { ...plan.redis!, downAfterMs: 1000 }

/** Keys in slots of the first shard. */
const keys = Array.from({ length: 100 }, (_, at) => `order-${at}`).filter(
  (key) => keySlot(`idempotency:v1:${key}`) < firstSlotOf(1, redis.shards!),
)

describeLive('the first node of a Cluster', (lab) => {
  it('reports changes of its keys like all others, including writes that are lost', async () => {
    const messages = plan.messages.map((message, at) => ({ ...message, key: keys[at]! }))
    const settings: unknown[] = []
    const ask = async ({ nodes }: LiveCluster) => {
      for (const node of nodes) settings.push(await node.call('CONFIG', 'GET', 'notify-keyspace-events'))
    }
    const environment: LiveEnvironment = {
      ...lab.environment,
      async startServers(shape, wish) {
        const servers = await lab.environment.startServers(shape, wish)
        // The servers close after the run.
        const close = () => ask(servers.cluster!).finally(() => servers.close())
        return { ...servers, close }
      },
    }
    const faulty = { ...plan, redis, messages }
    const run = await lab.run('002-check-and-set', faulty, { shape: 'cluster', longestMs: 16_000, environment })
    expect(settings).toEqual(Array(6).fill(['notify-keyspace-events', 'AE']))
    expect(factsOf(run, 'topology')).toContainEqual(expect.objectContaining({ what: 'promoted', other: 'redis-1a' }))
    expect(factsOf(run, 'data-lost').filter(({ cause }) => cause === 'split-brain')).toContainEqual(
      expect.objectContaining({ node: 'redis-1a', redisKeys: [expect.stringMatching(/^idempotency:v1:order-/)] }),
    )
  })
})
