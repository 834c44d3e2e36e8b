import { afterAll, beforeAll, expect, it } from 'vitest'
import { needs } from '../../../../test/needs/needs.ts'
import { compareAll } from '../../fidelity/campaign.ts'
import { connectTo, type RedisChoice } from '../../fidelity/redis-choice.ts'
import { describeStep, type Sequence } from '../../fidelity/step.ts'
import type { Command, Handler } from '../../src/command.ts'
import { findCommand } from '../../src/command-table.ts'
import type { Reply } from '../../src/resp/reply.ts'

/**
 * The file every-handler.server.test.ts tests that the comparison finds no difference in an
 * unchanged server.
 */

needs({ redis: '7.0' }).describe('fidelity against a real redis-server', () => {
  let redis: RedisChoice & { kind: 'ready' }
  beforeAll(async () => {
    redis = (await connectTo(undefined)) as typeof redis
  })
  afterAll(() => redis.stop())

  const compare = (plays: (sequence: Sequence) => boolean) =>
    compareAll(redis, { seed: 5, commands: 1000, scripts: 0, limit: 1, plays })

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
    'finds a changed byte in replies of %s, and shrinks the sequence',
    async (name) => {
      // Only sequences that use the command are compared. Sequences that wait for push messages are
      // omitted, because shrinking them would often run into the timeout of the wait.
      const hasIt = ({ steps }: Sequence) =>
        steps.every(({ kind }) => kind === 'command') &&
        steps.some((step) => describeStep(step).toLowerCase().includes(name))
      const found = (await withChangedReplies(name, () => compare(hasIt))).differences[0]
      expect(found).toBeDefined()
      expect(found!.sequence.steps.length, JSON.stringify(found)).toBeLessThanOrEqual(10)
      expect(found!.real).not.toBe(found!.simulated)
      const unchanged = await compare((sequence) => sequence.name === found!.sequence.name)
      expect(unchanged.stories + unchanged.sequences).toBe(1)
      expect(unchanged.differences).toEqual([])
    },
    120_000,
  )
})

/**
 * Changes one byte in plain replies of the command: the last digit of a number, or the first letter
 * of a string.
 */
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
