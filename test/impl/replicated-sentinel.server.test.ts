/** The number of replicas from a real Sentinel, and one real failover. */

import { createClient } from 'redis'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { adopt, type OnceMessage, type RedisAt } from '../../src/impl/once.ts'
import { cuttingProxy } from './cutting-proxy.ts'
import { buckets, closeLayers, freshMessage, layerAt, never, reportedBy, stateAt } from './layers.ts'
import { describeOnReplicas, type Server, until } from './real-replicas.ts'

describe.each(['ioredis', 'node-redis'] as const)('over %s:', (client) =>
  describeOnReplicas('begin, through Sentinels', (deployment) => {
    let primary: Server
    let first: Server
    let second: Server
    let sentinel: Server
    beforeAll(async () => {
      primary = await deployment.start()
      first = await deployment.startReplica(primary)
      second = await deployment.startReplica(primary, ['--replica-priority', '0'])
      sentinel = await deployment.startSentinel(primary, 2)
    })
    beforeEach(() => adopt({ redis: at(), buckets, since: 0 }))
    afterEach(() => {
      for (const { wake } of [first, second]) wake()
      closeLayers()
    })
    const at = (port = sentinel.port): RedisAt => {
      const sentinels = { sentinels: [{ host: '127.0.0.1', port }], name: 'main' }
      return client === 'ioredis' ? sentinels : { ...sentinels, client: createClient() }
    }
    const named = () => sentinel.client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'main')
    /**
     * Short only while a server should count as down. A server that merely waits for the processor
     * must not be replaced.
     */
    const missedAfter = (ms: number) => sentinel.client.call('SENTINEL', 'SET', 'main', 'down-after-milliseconds', ms)
    const flags = async () => {
      const replicas = (await sentinel.client.call('SENTINEL', 'REPLICAS', 'main')) as string[][]
      return replicas.map((fields) => fields[fields.indexOf('flags') + 1])
    }

    it('counts every replica that Sentinel knows, and is performed', async () => {
      const message = freshMessage()
      const states = () => Promise.all([first, second].map((replica) => stateAt(replica, message.key)))
      expect(await layerAt(at(), { replicas: 2 }).run(message, states)).toMatchObject({ result: ['begun', 'begun'] })
    })

    it.each([0, 1])('is refused with advice if `replicas` counts %i of 2', async (replicas) => {
      const message = freshMessage()
      expect(await layerAt(at(), { replicas }).run(message, never)).toMatchObject({
        status: 'retry',
        reason: 'replicas-uncounted',
        cause: {
          message: expect.stringContaining(
            `Sentinel, asked for main, knows 2 replicas, and 'replicas' counts ${replicas}`,
          ),
        },
      })
      expect(await stateAt(primary, message.key)).toBe('free')
    })

    it.each([0, 1])('with %i of 2 can be allowed explicitly', async (replicas) => {
      const once = layerAt(at(), { replicas, allowMinority: true })
      expect(await once.run(freshMessage(), async () => 5)).toMatchObject({ status: 'done' })
    })

    it('is refused only for a sink that forgets', async () => {
      const once = layerAt(at(), { replicas: 0, sink: { kind: 'keyed' } })
      expect(await once.run(freshMessage(), async () => 5)).toMatchObject({ status: 'done' })
    })

    it('counts a replica that is down, because it may return and be elected', async () => {
      first.stall()
      await missedAfter(500)
      await until(async () => (await flags()).some((flag) => flag?.includes('s_down')))
      await missedAfter(30_000)
      expect(await layerAt(at(), { replicas: 1 }).run(freshMessage(), never)).toMatchObject({
        reason: 'replicas-uncounted',
      })
      expect(await layerAt(at(), { replicas: 2 }).run(freshMessage(), never)).toMatchObject({
        reason: 'not-replicated',
      })
    })

    it('counts a replica that cannot be elected, which could complete the number alone', async () => {
      first.stall()
      const once = layerAt(at(), { replicas: 1, allowMinority: true })
      const message = freshMessage()
      expect(await once.run(message, () => stateAt(second, message.key))).toMatchObject({ result: 'begun' })
    })

    it('is not performed while no Sentinel reports the number of replicas', async () => {
      // Silent, not stalled: a Sentinel that was paused for two seconds replaces no primary for the
      // next thirty.
      const proxy = await cuttingProxy(sentinel.port)
      const once = layerAt(at(), { replicas: 2 })
      expect(await once.run(freshMessage(), async () => 5)).toMatchObject({ status: 'done' })
      proxy.silence(true)
      const another = layerAt(at(proxy.port), { replicas: 2, leaseMs: 3000 })
      expect(await another.run(freshMessage(), never)).toMatchObject({ reason: 'redis-unreachable' })
      proxy.silence(false)
      expect(reportedBy(await another.run(freshMessage(), async () => 5))).toBe('done')
      proxy.close()
    })

    it('survives a failover: effects in flight are in doubt at the next primary, and new ones wait for its replicas', async () => {
      const once = layerAt(at(), { replicas: 2, leaseMs: 1500 })
      const done = freshMessage()
      expect(reportedBy(await once.run(done, async () => 5))).toBe('done')
      await primary.client.set('after', 'complete')
      expect(await primary.client.wait(2, 5000)).toBe(2)
      const underWay = freshMessage()
      await once.run(underWay, () => primary.kill())
      once.close()

      await missedAfter(500)
      await until(async () => String(await named()).endsWith(String(first.port)))
      await missedAfter(30_000)
      const next = layerAt(at(), { replicas: 2 })
      expect(await next.run(done, never)).toEqual({ status: 'done', result: 5, repeated: true })
      const reported = new Set<string>()
      const report = async (message: OnceMessage) => {
        const one = reportedBy(await next.run(message, never))
        reported.add(one)
        return one
      }
      await until(async () => (await report(underWay)) !== 'held')
      expect([...reported].at(-1)).toBe('attempt-vanished')

      // Messages from before the failover are in doubt. Younger ones have no begin on the old
      // primary until it is back.
      let during = freshMessage()
      await until(async () => (await report((during = freshMessage()))) !== 'older-than-the-data')
      expect([...reported].at(-1)).toBe('not-replicated: 1 of 2 replicas acknowledged the begin')
      await deployment.startReplica(first, [], primary.port)
      await deployment.attached(first, [second])
      expect(reportedBy(await next.run(during, async () => 5))).toBe('done')
    }, 60_000)
  }),
)
