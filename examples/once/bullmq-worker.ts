/**
 * A BullMQ worker. The key is in the job's data, because a producer that repeats `add` without an
 * id makes two jobs. `producedAt` is there too, from the time when the order was made:
 * `job.timestamp` is when this job was added, and another job for the same order has another one.
 */
import { DelayedError, type Job, UnrecoverableError, Worker, type WorkerOptions } from 'bullmq'
import type { Once } from 'onceproof/once'

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
      case 'done-unkept':
        return ''
      case 'retry':
        // This uses up no attempt of BullMQ: the job has no fault.
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
