/**
 * What the layer does if Redis executed a command and its reply never came, or if Redis is down.
 */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createOnce, type Once } from '../../src/impl/once.ts'
import { scripts } from '../../src/impl/scripts.ts'
import { type CuttingProxy, cuttingProxy } from './cutting-proxy.ts'
import { over } from './over.ts'
import { describeOnRedis } from './real-redis.ts'

const message = { key: 'k', payload: 1, producedAt: Date.now() }
const never = async (): Promise<never> => expect.fail('an effect that must not be performed')

for (const [client, open] of Object.entries(over))
  describeOnRedis(`a lost reply, over ${client},`, (redis) => {
    let proxy: CuttingProxy
    let once: Once
    beforeEach(async () => {
      proxy = await cuttingProxy(redis.port)
      await redis.script('adopt', 'k', 0, 'first')
      for (const { lua } of Object.values(scripts)) await redis.client.script('LOAD', lua)
      once = createOnce({ redis: await open(proxy.port), replicas: 0, leaseMs: 1500, retentionMs: 600_000 })
    })
    afterEach(() => {
      once.close()
      proxy.close()
    })

    it.each(['acquire', 'begin', 'complete'] as const)(
      'is requested again, and changes nothing: to %s',
      async (name) => {
        proxy.loseRepliesOf(scripts[name].sha, 1)
        let effects = 0
        const outcome = await once.run(message, async () => ({ effect: ++effects }))
        expect(outcome).toEqual({ status: 'done', result: { effect: 1 }, repeated: false })
        expect(proxy.lost).toBe(1)
        expect(await redis.record('k')).toMatchObject({ state: 'completed' })
      },
    )

    it('performs nothing and undoes the begin if no reply to begin ever comes', async () => {
      proxy.loseRepliesOf(scripts.begin.sha, Number.POSITIVE_INFINITY)
      expect(await once.run(message, never)).toMatchObject({ status: 'retry', reason: 'redis-unreachable' })
      expect(proxy.lost).toBeGreaterThan(1)
      expect(await redis.record('k')).toMatchObject({ state: 'free' })
    })

    it('still means done if complete gets no reply for very long, which is recorded once Redis is back', async () => {
      const outcome = await once.run(message, async () => {
        proxy.silence(true)
        return 5
      })
      expect(outcome).toEqual({ status: 'done', result: 5, repeated: false })
      expect((await redis.record('k')).state).toBe('begun')
      proxy.silence(false)
      while ((await redis.record('k')).state !== 'completed');
      expect(await once.run(message, never)).toEqual({ status: 'done', result: 5, repeated: true })
    })

    it('leads to an answer if it concerns every command, without a hang or an effect', async () => {
      proxy.silence(true)
      expect(await once.run(message, never)).toMatchObject({ status: 'retry', reason: 'redis-unreachable' })
    })

    it('also leads to an answer in a closed layer', async () => {
      once.close()
      expect(await once.run(message, never)).toMatchObject({ status: 'retry', reason: 'redis-unreachable' })
    })
  })
