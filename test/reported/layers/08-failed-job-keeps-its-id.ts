/** BullMQ: a message is accepted once its job is queued. A job that failed keeps its id. */
import { Queue, Worker } from 'bullmq'
import type { Implementation } from '../../../src/contract/api/implementation.ts'
import type { EffectResult } from '../../../src/contract/api/sink.ts'
import { jobIdOf, type Order } from './parts/jobs.ts'

function layer(id: string, retries: object): Implementation {
  return {
    ...{ id, recoveryBoundMs: 300_000, sinks: ['keyed'], lacks: ['stored-result'] },
    create({ redis, leaseMs, retentionMs, sink }) {
      const connection = { ...redis.options, maxRetriesPerRequest: null }
      const ms = Math.max(leaseMs, 1000)
      const options = { connection, concurrency: 8, lockDuration: ms, stalledInterval: ms, maxStalledCount: 1000 }
      const queue = new Queue<Order, EffectResult>('orders', { connection })
      const worker = new Worker<Order, EffectResult>('orders', ({ data }) => sink.perform(data), options)
      for (const one of [queue, worker] as { on(name: 'error', quiet: () => void): unknown }[])
        one.on('error', () => {})
      const kept = { age: Math.ceil((2 * retentionMs) / 1000) }
      return {
        async handle({ key, payload }) {
          const jobId = jobIdOf(key)
          const settings = { ...retries, jobId, removeOnComplete: kept, removeOnFail: kept }
          await queue.add('order', { key, payload }, settings)
          const job = await queue.getJob(jobId)
          const isOther = job !== undefined && JSON.stringify(job.data.payload) !== JSON.stringify(payload)
          return isOther ? { status: 'dead-letter', reason: 'key-reused' } : { status: 'accepted' }
        },
        close: async () => void (await Promise.all([worker.close(true), queue.close()])),
      }
    },
  }
}

export const bug = layer('failed-job-keeps-its-id', { attempts: 1 })
export const fix = layer('failed-job-is-tried-again', { attempts: 1000, backoff: { type: 'fixed', delay: 1000 } })
