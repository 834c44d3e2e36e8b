/**
 * A BullMQ worker. A job's id is no idempotency key (a producer that retries `add` without one makes two jobs), so the key is in
 * its data. `producedAt` is in its data too, produced where the order came to be: `job.timestamp`
 * is when this job was added, and a job that is added once more for the same order has another one.
 */
import { DelayedError, type Job, UnrecoverableError, Worker, type WorkerOptions } from 'bullmq'
import type { Once } from '../../src/impl/once.ts'

export interface Order {
  readonly key: string
  readonly producedAt: number
  readonly amountCents: number
}

export type Charge = (order: Order, fence: number) => Promise<string>

export function orderWorker(queue: string, once: Once, charge: Charge, options: WorkerOptions): Worker<Order, string> {
  const handle = async (job: Job<Order, string>, token?: string): Promise<string> => {
    const { key, producedAt, ...payload } = job.data
    const outcome = await once.run({ key, payload, producedAt }, ({ fence }) => charge(job.data, fence))
    switch (outcome.status) {
      case 'done':
        return String(outcome.result)
      case 'retry':
        // Not an attempt of BullMQ's: nothing was wrong with the job.
        await job.moveToDelayed(Date.now() + outcome.retryAfterMs, token)
        throw new DelayedError()
      case 'refused':
        throw new UnrecoverableError(`refused: ${outcome.error}`)
      case 'in-doubt':
      case 'failed':
      case 'conflict':
        // BullMQ's set of failed jobs is the dead-letter queue.
        throw new UnrecoverableError(outcome.status)
    }
  }
  return new Worker(queue, handle, options)
}
