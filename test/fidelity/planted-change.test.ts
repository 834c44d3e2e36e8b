import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compareAll } from '../../fidelity/campaign.ts'
import { connectTo, type RedisChoice } from '../../fidelity/redis-choice.ts'
import { findProgram } from '../../src/fidelity/redis-process.ts'
import type { Reply } from '../../src/sim/lua/reply.ts'
import type { Command, Handler } from '../../src/sim/redis/command.ts'
import { findCommand } from '../../src/sim/redis/command-table.ts'

const missing = findProgram('redis-server') === undefined

describe.skipIf(missing)(
  `fidelity against a real redis-server${missing ? ' (skipped: no redis-server found)' : ''}`,
  () => {
    let redis: RedisChoice & { kind: 'ready' }
    beforeAll(async () => {
      redis = (await connectTo(undefined)) as typeof redis
    })
    afterAll(() => redis.stop())

    const compare = () => compareAll(redis, { seed: 5, commands: 1000, scripts: 0, limit: 1 })

    it('finds nothing where nothing was changed', async () => {
      const result = await compare()
      expect(result.differences.map((difference) => difference.step)).toEqual([])
      expect([...result.commands.values()].reduce((sum, counts) => sum + counts.bytes, 0)).toBeGreaterThan(1000)
    }, 120_000)

    it.each([
      'get',
      'hincrby',
      'expire',
      'lpush',
      'sadd',
      'zadd',
      'xlen',
      'setbit',
      'publish',
      'echo',
      'geoadd',
      'exists',
    ])(
      'turns red at one byte changed in %s, and shrinks what shows it',
      async (name) => {
        const result = await withChangedReplies(name, compare)
        const found = result.differences[0]
        expect(found).toBeDefined()
        expect(found!.sequence.steps.length, JSON.stringify(found)).toBeLessThanOrEqual(10)
        expect(found!.real).not.toBe(found!.simulated)
      },
      120_000,
    )
  },
)

/** One byte of the command's plain replies: the last digit of a number, or the first letter of a string. */
async function withChangedReplies<T>(name: string, run: () => Promise<T>): Promise<T> {
  const command = findCommand(name) as { -readonly [K in keyof Command]: Command[K] }
  const original = command.execute!
  const changed: Handler = (session, args) => {
    const reply = original(session, args) as Reply
    if (typeof reply === 'number') return reply + 1
    return typeof reply === 'string' && reply !== '' ? `\x7f${reply.slice(1)}` : reply
  }
  command.execute = changed
  try {
    return await run()
  } finally {
    command.execute = original
  }
}
