import { Queue } from 'bullmq'
import { withoutTimeout } from './open-queue.ts'
import type { QueueAddress } from './queue-address.ts'
import { queuePrefix } from './registry.ts'

/**
 * The number of events that the queue keeps. Events are only hints: an answer stays in its job
 * until the machine that requested it has read it.
 */
const eventsKept = 50

export interface CampaignQueue {
  readonly queue: Queue
  /** All keys of the queue, except those of jobs. */
  readonly keys: readonly string[]
  /**
   * The keys without an expiry. The expiry of the other keys must not be changed, because BullMQ's
   * checks for stalled jobs wait until such a key expires.
   */
  readonly lasting: readonly string[]
}

export function openCampaignQueue(campaign: string, address: QueueAddress): CampaignQueue {
  const queue = new Queue(campaign, {
    prefix: queuePrefix,
    connection: withoutTimeout(address),
    streams: { events: { maxLen: eventsKept } },
  })
  queue.on('error', () => {}) // BullMQ reconnects by itself; the registry reports the outage.
  const ofItsOwn = ['stalled-check', 'limiter'].map((name) => queue.toKey(name))
  const keys = Object.values(queue.keys)
  return { queue, keys, lasting: keys.filter((key) => !ofItsOwn.includes(key)) }
}
