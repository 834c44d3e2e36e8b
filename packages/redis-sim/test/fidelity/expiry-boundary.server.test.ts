import { readReply } from 'test-servers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { needs } from '../../../../test/needs/needs.ts'
import { connectTo, type RedisChoice } from '../../fidelity/redis-choice.ts'
import { ServerByHand } from '../server-by-hand.ts'

/**
 * Only uses replies whose millisecond is certain, because the clock of the real server showed the
 * same value before and after the reply.
 */
needs({ redis: '7.0' }).describe('a deadline on real Redis', () => {
  let redis: RedisChoice & { kind: 'ready' }
  beforeAll(async () => {
    redis = (await connectTo(undefined)) as typeof redis
  })
  afterAll(() => redis.stop())

  it('leaves the key alive in the millisecond of the deadline, but not in the next millisecond, as on the simulated server', async () => {
    const seen = new Map<number, string>()
    for (let attempt = 0; attempt < 200 && !(seen.has(0) && seen.has(1)); attempt++) {
      const deadline = (await timeMs(redis)) + 3
      await redis.target.ask(['SET', 'k', 'v', 'PXAT', String(deadline)])
      for (let before = 0; before <= deadline + 2; ) {
        before = await timeMs(redis)
        const reply = await redis.target.ask(['GET', 'k'])
        if ((await timeMs(redis)) === before) seen.set(before - deadline, reply)
      }
    }
    const world = new ServerByHand()
    const client = world.client()
    client.run(`SET k v PXAT ${world.nowUs / 1000 + 3}`)
    world.pass(3)
    expect(seen.get(0)).toBe('$1\r\nv\r\n')
    expect(client.run('GET k')).toBe(seen.get(0))
    world.pass(1)
    expect(seen.get(1)).toBe('$-1\r\n')
    expect(client.run('GET k')).toBe(seen.get(1))
  }, 60_000)
})

async function timeMs(redis: RedisChoice & { kind: 'ready' }): Promise<number> {
  const [seconds, micros] = readReply(await redis.target.ask(['TIME']), 0)!.items
  return Number(seconds!.text) * 1000 + Math.floor(Number(micros!.text) / 1000)
}
