import { Queue, QueueEvents } from 'bullmq'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Order, orderWorker } from '../../examples/once/bullmq-worker.ts'
import { adopt } from '../../src/impl/once.ts'
import { buckets, closeLayers, layerAt } from '../impl/layers.ts'
import { describeOnRedis } from '../impl/real-redis.ts'

class Declined extends Error {}

describeOnRedis('a BullMQ worker', (redis) => {
  const open: { close(): Promise<unknown> }[] = []
  beforeEach(async () => void (await adopt({ redis: redis.client, buckets, since: 0 })))
  afterEach(async () => {
    for (const opened of open.splice(0)) await opened.close()
    closeLayers()
  })
  const keep = <T extends { close(): Promise<unknown> }>(opened: T): T => {
    open.push(opened)
    return opened
  }
  const order = (key: string): Order => ({ key, producedAt: Date.now(), amountCents: 100 })

  it('charges an order of two jobs once, and sets a declined order aside', async () => {
    const connection = { host: '127.0.0.1', port: redis.port }
    const events = keep(new QueueEvents('orders', { connection }))
    await events.waitUntilReady()
    const queue = keep(new Queue<Order, string>('orders', { connection }))
    const charged: string[] = []
    let bothAreThere = () => {}
    const second = new Promise<void>((resolve) => (bothAreThere = resolve))
    const charge = async ({ key }: Order) => {
      if (key === 'declined') throw new Declined('no funds')
      await second
      charged.push(key)
      return `receipt of ${key}`
    }
    const isRefusal = (error: unknown) => error instanceof Declined
    for (let consumer = 0; consumer < 2; consumer++) {
      const once = layerAt(redis.client, { isRefusal })
      keep(orderWorker('orders', once, charge, { connection, concurrency: 2 })).on('error', () => {})
    }
    const twice = order('order-1')
    // A producer that did not get the reply adds the job again.
    const jobs = [await queue.add('charge', twice), await queue.add('charge', twice)]
    // The second job is delayed. Neither job fails or uses up an attempt.
    await expect.poll(() => queue.getDelayedCount()).toBe(1)
    bothAreThere()
    const results = await Promise.all(jobs.map((job) => job.waitUntilFinished(events)))
    expect(results).toEqual(['receipt of order-1', 'receipt of order-1'])
    expect(charged).toEqual(['order-1'])

    const declined = await queue.add('charge', order('declined'), { attempts: 5 })
    await expect(declined.waitUntilFinished(events)).rejects.toThrow('refused: no funds')
    const [failed] = await queue.getFailed()
    expect(failed).toMatchObject({ attemptsMade: 1, failedReason: 'refused: no funds' })
  })
})
