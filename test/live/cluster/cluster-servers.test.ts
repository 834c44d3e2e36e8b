/** The nodes of a Cluster during one run. They exist only by name. */
import { expect, it } from 'vitest'
import type { Fact } from '../../../src/contract/api/history.ts'
import { ClusterServers } from '../../../src/live/cluster/cluster-servers.ts'
import type { ClusterNews, LiveCluster } from '../../../src/live/cluster/live-cluster.ts'

it('reports of nodes after the end of the run are ignored', async () => {
  const listeners = new Set<ClusterNews>()
  const deployment = {
    nodes: [],
    shards: [],
    named: (name: string) => ({ name }),
    placeOf: () => ({ shard: 0, leads: false }),
    listen(listener: ClusterNews) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const facts: Fact[] = []
  const servers = new ClusterServers(
    deployment as unknown as LiveCluster,
    { recorder: { fact: (fact: Fact) => void facts.push(fact) } } as never,
  )
  const sayResynced = () => {
    for (const listener of listeners) listener.synced('redis-1b', 'full')
  }
  await servers.open()
  sayResynced()
  expect(facts.map(({ type }) => type)).toEqual(['topology'])
  await servers.close()
  sayResynced()
  expect(facts).toHaveLength(1)
})
