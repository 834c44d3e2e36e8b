/**
 * The jobs of a campaign that wait for an answer. The answer to a job does not depend on the
 * machine, nor on how often the job is played. So a job that the queue has lost can be added again.
 */
import { QueueEvents } from 'bullmq'
import { type CampaignQueue, openCampaignQueue } from './campaign-queue.ts'
import type { Answer, Job } from './job.ts'
import { withoutTimeout } from './open-queue.ts'
import type { QueueAddress } from './queue-address.ts'
import { queuePrefix } from './registry.ts'

interface Asked {
  readonly job: Job
  readonly settle: (answer: Answer) => void
  readonly fail: (error: Error) => void
}

export class AskedJobs {
  readonly #queue: CampaignQueue['queue']
  /** All Redis keys of the queue, except those of jobs. */
  readonly keys: readonly string[]
  readonly #lasting: readonly string[]
  /**
   * Events are only hints, because they may be lost with a connection; `lookAfter` finds missed
   * answers.
   */
  readonly #events: QueueEvents
  readonly #asked = new Map<string, Asked>()
  #given = 0

  constructor(campaign: string, address: QueueAddress) {
    const { queue, keys, lasting } = openCampaignQueue(campaign, address)
    this.#queue = queue
    this.keys = keys
    this.#lasting = lasting
    this.#events = new QueueEvents(campaign, { prefix: queuePrefix, connection: withoutTimeout(address) })
    this.#events.on('error', () => {}) // It reconnects by itself.
    this.#events.on('completed', ({ jobId, returnvalue }) => this.#settle(jobId, returnvalue as unknown as Answer))
  }

  /** Keys without an expiry; the registry must set one. */
  get lasting(): readonly string[] {
    return [...this.#lasting, ...[...this.#asked.keys()].map((id) => this.#queue.toKey(id))]
  }

  get count(): number {
    return this.#asked.size
  }

  async ready(): Promise<void> {
    await this.#events.waitUntilReady()
  }

  ask(job: Job): Promise<Answer> {
    return new Promise((settle, fail) => {
      const id = `job-${this.#given++}`
      this.#asked.set(id, { job, settle, fail })
      this.#handOut(id)
    })
  }

  /**
   * Settles answers whose events were lost. Adds jobs again that are missing, or that are in none
   * of the queue's lists: a worker that finds an emptied queue assumes that its campaign has ended,
   * and may remove lists that were created again.
   */
  async lookAfter(): Promise<void> {
    for (const [id, { job, fail }] of this.#asked) {
      const queued = await this.#queue.getJob(id)
      if (queued === undefined) this.#handOut(id)
      else if (queued.failedReason !== undefined && queued.finishedOn !== undefined) {
        fail(new Error(givenUp(job, queued.failedReason)))
        this.#forget(id)
      } else if (queued.finishedOn !== undefined) this.#settle(id, queued.returnvalue)
      else if ((await queued.getState()) === 'unknown') {
        await this.#queue.remove(id) // Fails if the job is locked; a later call retries.
        this.#handOut(id)
      }
    }
  }

  /** Removes the remaining jobs. */
  async clear(): Promise<void> {
    this.#asked.clear()
    await this.#queue.obliterate({ force: true })
  }

  async close(): Promise<void> {
    await Promise.all([this.#events.close(), this.#queue.disconnect()])
  }

  /** Adds the job to the queue, unless its answer has arrived in the meantime. */
  #handOut(id: string): void {
    const asked = this.#asked.get(id)
    if (asked === undefined) return
    const { kind, task } = asked.job
    this.#queue.add(kind, task, { jobId: id }).catch(() => {}) // `lookAfter` retries.
  }

  #settle(id: string, answer: Answer): void {
    this.#asked.get(id)?.settle(answer)
    this.#forget(id)
  }

  #forget(id: string): void {
    if (this.#asked.delete(id)) this.#queue.remove(id).catch(() => {}) // `clear` removes the rest.
  }
}

/**
 * The error for a job that the queue has given up, because several workers died while playing it.
 */
function givenUp({ kind, task }: Job, reason: string): string {
  const pair = `${task.implementationName} under ${task.scenarioName}`
  return `no worker of the fleet finished ${work()} of ${pair} (${reason})`

  function work(): string {
    if (kind === 'explore') return 'an exploration'
    return kind === 'chunk' ? `runs ${task.from} to ${task.to - 1}` : `shrinking run ${task.run}`
  }
}
