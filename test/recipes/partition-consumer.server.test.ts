import { afterEach, beforeEach, expect, it } from 'vitest'
import { consume, type Partition, type PartitionRecord } from '../../examples/once/partition-consumer.ts'
import { adopt } from '../../src/impl/once.ts'
import { buckets, closeLayers, layerAt } from '../impl/layers.ts'
import { describeOnRedis } from '../impl/real-redis.ts'

/** One partition and its committed position, in memory. */
class PartitionLog {
  readonly records: PartitionRecord[] = []
  readonly dead: string[] = []
  committed = 0

  append(key: string, value: unknown = 1): void {
    this.records.push({ offset: this.records.length, key, value, timestamp: Date.now() })
  }

  /**
   * A consumer that is assigned the partition, and dies instead of committing the offset after
   * `diesAt`.
   */
  assigned(diesAt = Number.POSITIVE_INFINITY): Partition {
    let next = this.committed
    return {
      poll: async () => {
        const records = this.records.slice(next, next + 2)
        next += records.length
        return records
      },
      commit: async (to) => {
        if (to > diesAt) throw new Error('died')
        this.committed = to
      },
      deadLetter: async ({ key }, why) => void this.dead.push(`${key}: ${why}`),
    }
  }
}

describeOnRedis('a consumer of a partition', (redis) => {
  beforeEach(async () => void (await adopt({ redis: redis.client, buckets, since: 0 })))
  afterEach(closeLayers)

  it('continues after another consumer died between effect and commit, and repeats no effect', async () => {
    const log = new PartitionLog()
    for (const key of ['a', 'b', 'c']) log.append(key)
    log.append('b', 'a producer that is not idempotent, and changed it')
    const performed: string[] = []
    const effect = async ({ key }: PartitionRecord) => void performed.push(key)
    await expect(consume(log.assigned(1), layerAt(redis.client), effect)).rejects.toThrow('died')
    expect({ performed, committed: log.committed }).toEqual({ performed: ['a', 'b'], committed: 1 })
    await consume(log.assigned(), layerAt(redis.client), effect)
    expect({ performed, committed: log.committed }).toEqual({ performed: ['a', 'b', 'c'], committed: 4 })
    expect(log.dead).toEqual(['b: conflict: payload'])
  })

  it('waits for a record that another consumer still has before it commits the offset after it', async () => {
    const log = new PartitionLog()
    log.append('a')
    let finish = () => {}
    const finished = new Promise<void>((resolve) => (finish = resolve))
    let start = () => {}
    const started = new Promise<void>((resolve) => (start = resolve))
    const performed: string[] = []
    // Its partition was revoked, but it continues with its records.
    const former = consume(log.assigned(), layerAt(redis.client, { leaseMs: 400 }), async ({ key }) => {
      start()
      await finished
      performed.push(key)
    })
    await started
    let asked = 0
    const onEvent = ({ type }: { type: string }) => {
      if (type === 'ended' && ++asked === 2) finish()
    }
    const next = layerAt(redis.client, { leaseMs: 400, onEvent })
    await consume(log.assigned(), next, async ({ key }) => void performed.push(key))
    await former
    expect({ performed, committed: log.committed, dead: log.dead }).toEqual({
      performed: ['a'],
      committed: 1,
      dead: [],
    })
    expect(asked).toBeGreaterThanOrEqual(3)
  })
})
