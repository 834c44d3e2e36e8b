/**
 * One machine's part in one campaign: it takes jobs from the campaign's queue, one for each worker
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
  /** A fresh one, so that it loads the files that are on the disk now. */
  readonly executor: Executor
  readonly workers: number
  /** The machine's files are not the asker's; it takes no further job of this campaign. */
  readonly refuse: (why: string) => void
}

export interface Serving {
  /** Ends once the jobs under way are done, or at once: then other machines play them. */
  stop(how: 'when done' | 'at once'): Promise<void>
}

/** A worker that is silent for this long counts as dead: its jobs go to others. */
const lockMs = 5_000
const stalledMs = 2_000
/** How many workers may die over one job before it is given up. */
const deaths = 5

export function serveCampaign(campaign: string, { address, places, executor, workers, refuse }: Service): Serving {
  let leaving = false
  const worker = new Worker(
    campaign,
    async (queued, token): Promise<Answer> => {
      const job = { kind: queued.name, task: queued.data } as Job
      try {
        const answer = await doJob(job, executor, places)
        // After `stop('at once')` another machine plays the job.
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
  worker.on('error', () => {}) // A lost connection comes back; a job that is gone was played elsewhere.
  return {
    async stop(how) {
      if (how === 'at once') leaving = true
      await worker.close(how === 'at once')
      await executor.close()
    },
  }
}

/** Removes what a campaign left in the queue when its asker died. */
export async function sweep(campaign: string, address: QueueAddress): Promise<readonly string[]> {
  const { queue, keys } = openCampaignQueue(campaign, address)
  await queue.obliterate({ force: true }).catch(() => {})
  await queue.close()
  return keys
}
