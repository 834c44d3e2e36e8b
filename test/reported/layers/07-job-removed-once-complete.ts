/** BullMQ: the key is the id of the job, and the job is removed once it is complete. */
import { Queue, QueueEvents, Worker } from 'bullmq'
import type { Implementation } from '../../../src/contract/api/implementation.ts'
import type { EffectResult } from '../../../src/contract/api/sink.ts'
import { jobIdOf, type Order } from './parts/jobs.ts'

function layer(id: string, removed: (retentionMs: number) => true | { age: number }): Implementation {
  return {
    ...{ id, recoveryBoundMs: 300_000 },
    create({ redis, leaseMs, retentionMs, sink }) {
      const connection = { ...redis.options, maxRetriesPerRequest: null }
      const options = {
        connection,
        concurrency: 8,
        lockDuration: leaseMs,
        stalledInterval: leaseMs,
        maxStalledCount: 0,
      }
      const queue = new Queue<Order, EffectResult>('orders', { connection })
      const events = new QueueEvents('orders', { connection })
      const worker = new Worker<Order, EffectResult>('orders', ({ data }) => sink.perform(data), options)
      for (const one of [queue, events, worker] as { on(name: 'error', quiet: () => void): unknown }[])
        one.on('error', () => {})
      const gone = removed(retentionMs)
      return {
        async handle({ key, payload }) {
          const settings = { attempts: 1, jobId: jobIdOf(key), removeOnComplete: gone, removeOnFail: gone }
          const job = await queue.add('order', { key, payload }, settings)
          try {
            return { status: 'done', result: await job.waitUntilFinished(events, leaseMs) }
          } catch (error) {
            const hasFailed = (await job.getState()) === 'failed'
            if (hasFailed) return { status: 'dead-letter', reason: 'in-doubt' }
            return { status: 'retry', reason: (error as Error).message }
          }
        },
        close: async () => void (await Promise.all([worker.close(true), queue.close(), events.close()])),
      }
    },
  }
}

export const bug = layer('job-removed-once-complete', () => true)
export const fix = layer('job-kept-once-complete', (retentionMs) => ({ age: (2 * retentionMs) / 1000 }))
