/** BullMQ: a message becomes a job whose id is the key, so that a queue has it only once. */
import { type Job, Queue, QueueEvents, Worker } from 'bullmq'
import { defineImplementation, type EffectResult, type JsonValue } from 'onceproof'

interface Order {
  readonly key: string
  readonly payload: JsonValue
}

export default defineImplementation({
  id: 'bullmq',
  about: 'BullMQ with the key as the id of the job; a job whose worker is lost is not tried again.',
  sinks: ['plain'],
  shapes: ['single', 'sentinel'],
  recoveryBoundMs: 300_000,
  async create({ redis, leaseMs, retentionMs, sink }) {
    const connection = { ...redis.options, maxRetriesPerRequest: null }
    const silent = () => {}
    const queue = new Queue<Order, EffectResult>('orders', { connection }).on('error', silent)
    const events = new QueueEvents('orders', { connection }).on('error', silent)
    const perform = ({ data }: Job<Order>) => sink.perform(data)
    const worker = new Worker<Order, EffectResult>('orders', perform, {
      connection,
      concurrency: 8,
      lockDuration: leaseMs,
      stalledInterval: leaseMs,
      maxStalledCount: 0,
    }).on('error', silent)
    const ageS = Math.ceil(retentionMs / 1000)
    const options = { attempts: 1, removeOnComplete: { age: ageS }, removeOnFail: { age: ageS } }
    return {
      async handle({ key, payload }) {
        // An id must not contain a colon or be a number.
        const jobId = `key-${key.replaceAll(':', '%3A')}`
        const job = await queue.add('order', { key, payload }, { ...options, jobId })
        try {
          return { status: 'done', result: await job.waitUntilFinished(events, leaseMs) }
        } catch (error) {
          const state = await job.getState()
          if (state !== 'failed') return { status: 'retry', reason: (error as Error).message }
          return { status: 'dead-letter', reason: 'in-doubt' }
        }
      },
      async close() {
        await Promise.all([worker.close(true), queue.close(), events.close()])
      },
    }
  },
})
