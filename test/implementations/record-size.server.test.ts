/**
 * The size of the records of article 001 on a real Redis. The article estimates 250 bytes per key.
 */
import { expect, it } from 'vitest'
import { describeOnRedis } from '../impl/real-redis.ts'

const count = 20_000
const usedBytes = (info: string) => Number(/^used_memory:(\d+)/m.exec(info)![1])

/** The completed record of the article’s consumer, with the result of its example. */
const completed = JSON.stringify({
  status: 'COMPLETED',
  owner: `consumer-${'0'.repeat(16)}`,
  completedAt: Date.UTC(2026, 0, 1),
  result: { success: true, transactionId: 'txn_123' },
})

describeOnRedis('a completed record of article 001', (redis) => {
  const bytesOf = async (value: string) => {
    const before = usedBytes(await redis.client.info('memory'))
    const fill = `for n = 1, ${count} do
      redis.call('SET', string.format('idempotency:v2:order-service:%036d', n), ARGV[1], 'EX', 86400)
    end`
    await redis.client.eval(fill, 0, value)
    return (usedBytes(await redis.client.info('memory')) - before) / count
  }

  it('takes more than 250 bytes in a real Redis', async () => expect(await bytesOf(completed)).toBeGreaterThan(250))

  it('takes more than a marker of one byte', async () => expect(await bytesOf('1')).toBeLessThan(250))
})
