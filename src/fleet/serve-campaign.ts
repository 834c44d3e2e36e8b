/**
 * Serves one campaign on one machine: takes jobs from the campaign's queue, one for each worker
 * thread.
 */
import { WaitingError, Worker } from 'bullmq'
import type { Executor } from '../campaign/play/executor.ts'
import { openCampaignQueue } from './campaign-queue.ts'
import type { Places } from './file-ref.ts'
import { type Answer, doJob, type Job, RefusedJob } from './job.ts'
import { withoutTimeout } from './open-queue.ts'
import type { QueueAddress } from './queue-address.ts'
import { queuePrefix } from './registry.ts'

export interface Service {
  readonly address: QueueAddress
  readonly places: Places
  /** A new executor, so that it loads the current files from disk. */
  readonly executor: Executor
  readonly workers: number
  /**
   * Called if this machine's files differ from those of the campaign's machine. The caller then
   * stops serving this campaign.
   */
  readonly refuse: (why: string) => void
}

export interface Serving {
  /**
   * Stops when the current jobs are done, or at once; in the second case, other machines play the
   * current jobs.
   */
  stop(how: 'when done' | 'at once'): Promise<void>
}

/**
 * A worker that does not renew its locks for this number of milliseconds counts as dead, and its
 * jobs go to others.
 */
const lockMs = 5_000
const stalledMs = 2_000
/** The queue gives up a job if more than this number of workers have died while playing it. */
const deaths = 5

export function serveCampaign(campaign: string, { address, places, executor, workers, refuse }: Service): Serving {
  let leaving = false
  const worker = new Worker(
    campaign,
    async (queued, token): Promise<Answer> => {
      const job = { kind: queued.name, task: queued.data } as Job
      try {
        const answer = await doJob(job, executor, places)
        // After `stop('at once')`, another machine plays the job.
        if (leaving) throw new WaitingError()
        return answer
      } catch (error) {
        if (!(error instanceof RefusedJob)) throw error
        refuse(error.message)
        await queued.moveToWait(token)
        throw new WaitingError()
      }
    },
    {
      prefix: queuePrefix,
      connection: withoutTimeout(address),
      concurrency: workers,
      lockDuration: lockMs,
      stalledInterval: stalledMs,
      maxStalledCount: deaths,
    },
  )
  worker.on('error', () => {}) // BullMQ reconnects by itself; another machine played a missing job.
  return {
    async stop(how) {
      if (how === 'at once') leaving = true
      await worker.close(how === 'at once')
      await executor.close()
    },
  }
}

/** Removes the queue of a campaign whose machine has died. */
export async function sweep(campaign: string, address: QueueAddress): Promise<readonly string[]> {
  const { queue, keys } = openCampaignQueue(campaign, address)
  await queue.obliterate({ force: true }).catch(() => {})
  await queue.close()
  return keys
}
