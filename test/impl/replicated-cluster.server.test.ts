/**
 * The begin and its replicas on a real Cluster of two shards. Only the replicas of the key’s own
 * primary count.
 */

import { freePort } from 'test-servers'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { bucketKeysOf } from '../../src/impl/identity.ts'
import { adopt, type OnceMessage } from '../../src/impl/once.ts'
import { buckets, closeLayers, freshMessage, layerAt, never } from './layers.ts'
import { describeOnReplicas, type Server, until } from './real-replicas.ts'

describeOnReplicas('begin, on a Cluster', (deployment) => {
  /** The primary and the replica of each shard. */
  let shards: [Server, Server][]
  const at = () => ({ nodes: shards.map(([{ port }]) => ({ host: '127.0.0.1', port })) })
  const shardOf = async ({ key }: OnceMessage) => {
    const slot = Number(await shards[0]![0].client.cluster('KEYSLOT', bucketKeysOf(key, buckets).record))
    return slot < 8192 ? shards[0]! : shards[1]!
  }
  const stateAt = ({ client }: Server, { key }: OnceMessage) => client.hget(bucketKeysOf(key, buckets).record, 'state')
  const messagesOf = async (shard: [Server, Server]) => {
    const messages = Array.from({ length: 20 }, freshMessage)
    const shardsOf = await Promise.all(messages.map(shardOf))
    return messages.filter((_, index) => shardsOf[index] === shard)
  }

  beforeAll(async () => {
    const flags = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '5000']
    const nodes: Server[] = []
    for (const at of [0, 1, 2, 3]) {
      const own = ['--cluster-config-file', `nodes-${at}.conf`, '--cluster-port', String(await freePort())]
      nodes.push(await deployment.start([...flags, ...own]))
    }
    const [one, two, ...others] = nodes as [Server, Server, Server, Server]
    await one.client.call('CLUSTER', 'ADDSLOTSRANGE', 0, 8191)
    await two.client.call('CLUSTER', 'ADDSLOTSRANGE', 8192, 16383)
    for (const { port, client } of nodes.slice(1)) {
      const bus = (await client.config('GET', 'cluster-port')) as string[]
      await one.client.call('CLUSTER', 'MEET', '127.0.0.1', port, bus[1]!)
    }
    shards = [
      [one, others[0]],
      [two, others[1]],
    ]
    for (const [primary, replica] of shards) {
      const id = String(await primary.client.cluster('MYID'))
      await until(async () => String(await replica.client.cluster('NODES')).includes(id))
      await replica.client.cluster('REPLICATE', id)
      await deployment.attached(primary, [replica])
      await replica.client.readonly()
    }
    const settled = async ({ client }: Server) =>
      String(await client.cluster('NODES')).match(/\bslave\b/g)?.length === 2 &&
      String(await client.cluster('INFO')).includes('cluster_state:ok')
    for (const node of nodes) await until(() => settled(node))
  })
  beforeEach(() => adopt({ redis: at(), buckets, since: 0 }))
  afterEach(() => {
    for (const [, replica] of shards) replica.wake()
    closeLayers()
  })

  it('is on the replica of the key’s shard when the effect is performed', async () => {
    const once = layerAt(at(), { replicas: 1 })
    for (const shard of shards)
      for (const message of await messagesOf(shard)) {
        const states = () => Promise.all(shard.map((server) => stateAt(server, message)))
        expect(await once.run(message, states)).toMatchObject({ status: 'done', result: ['begun', 'begun'] })
      }
  })

  it('is undone only in the shard whose replica does not acknowledge', async () => {
    const once = layerAt(at(), { replicas: 1 })
    const [theirs, mine] = await Promise.all(shards.map(async (shard) => (await messagesOf(shard))[0]))
    shards[0]![1].stall()
    expect(await once.run(theirs!, never)).toMatchObject({ status: 'retry', reason: 'not-replicated' })
    expect(await stateAt(shards[0]![0], theirs!)).toBe('free')
    expect(await once.run(mine!, async () => 5)).toMatchObject({ status: 'done' })
    shards[0]![1].wake()
    expect(await once.run(theirs!, async () => 5)).toMatchObject({ status: 'done' })
  })

  it('is refused if the Cluster knows more replicas than are counted, unless that is allowed explicitly', async () => {
    expect(await layerAt(at()).run(freshMessage(), never)).toMatchObject({
      status: 'retry',
      reason: 'replicas-uncounted',
      cause: { message: expect.stringMatching(/^the node 127.0.0.1:\d+ knows 1 replicas, and 'replicas' counts 0/) },
    })
    const once = layerAt(at(), { allowMinority: true })
    expect(await once.run(freshMessage(), async () => 5)).toMatchObject({ status: 'done' })
  })

  it('is listed from every shard if its effect is in doubt, and settled on its own', async () => {
    const sink = { kind: 'plain', settledByHand: true } as const
    const once = layerAt(at(), { replicas: 1, leaseMs: 400, sink })
    const lost = (await Promise.all(shards.map(messagesOf))).map(([message]) => message!)
    for (const message of lost) await once.run(message, () => Promise.reject(new Error('502')))
    for (const { key } of lost) await until(async () => (await once.status(key)).status === 'in-doubt')
    const listed: string[] = []
    for await (const doubt of once.doubts()) {
      listed.push(doubt.key)
      expect(await once.settle(doubt, { status: 'barred' })).toEqual({ status: 'open' })
    }
    expect(listed.sort()).toEqual(lost.map(({ key }) => key).sort())
    for (const message of lost) expect(await once.run(message, async () => 5)).toMatchObject({ status: 'done' })
  })

  it('follows a failover of a shard, whose primary becomes the replica', async () => {
    const once = layerAt(at(), { replicas: 1 })
    const [before] = await messagesOf(shards[0]!)
    expect(await once.run(before!, async () => 5)).toMatchObject({ status: 'done' })
    const [primary, replica] = shards[0]!
    await replica.client.cluster('FAILOVER')
    await until(async () => (await replica.client.info('replication')).includes('role:master'))
    await deployment.attached(replica, [primary])
    await primary.client.readonly()
    let outcome: { status: string } = await once.run(before!, never)
    expect(outcome).toEqual({ status: 'done', result: 5, repeated: true })
    await until(async () => {
      const [message] = await messagesOf(shards[0]!)
      outcome = await once.run(message!, () =>
        Promise.all([primary, replica].map((server) => stateAt(server, message!))),
      )
      return !('reason' in outcome && outcome.reason === 'older-than-the-data')
    })
    expect(outcome).toMatchObject({ result: ['begun', 'begun'] })
  })
})
