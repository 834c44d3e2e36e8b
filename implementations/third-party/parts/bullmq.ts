/** BullMQ: a message becomes a job, run by any process's worker; the adding process waits. */
import { type JobsOptions, Queue, QueueEvents, Worker } from 'bullmq'
import type { CreateContext, Handler } from '../../../src/contract/api/implementation.ts'
import type { JsonValue } from '../../../src/contract/api/json.ts'
import type { Outcome } from '../../../src/contract/api/message.ts'
import { answeringRefusals } from './answering-refusals.ts'

interface Order {
  readonly key: string
  readonly payload: JsonValue
}

/** How long a delivery waits for its job before it is redelivered. */
const patienceMs = 5000

/** `optionsOf`: the options by which BullMQ recognises a second job of a key. */
export function bullmq({ redis, sink }: CreateContext, optionsOf: (key: string) => JobsOptions): Handler {
  const connection = { ...redis.options, maxRetriesPerRequest: null }
  const silent = () => {}
  const queue = new Queue<Order, Outcome>('orders', { connection }).on('error', silent)
  const events = new QueueEvents('orders', { connection }).on('error', silent)
  // The sink's final refusal is a result of the job, not a failure.
  const perform = answeringRefusals((order) => sink.perform(order))
  const worker = new Worker<Order, Outcome>('orders', ({ data }) => perform(data), { connection }).on('error', silent)
  return {
    async handle({ key, payload }) {
      const job = await queue.add('order', { key, payload }, optionsOf(key))
      try {
        return await job.waitUntilFinished(events, patienceMs)
      } catch (error) {
        const reason = (error as Error).message
        // A failed job is kept, for an operator: a job with its id is not added again.
        return (await job.isFailed())
          ? { status: 'dead-letter', reason: `in-doubt: ${reason}` }
          : { status: 'retry', reason }
      }
    },
    async close() {
      await Promise.all([worker.close(true), queue.close(), events.close()])
    },
  }
}
