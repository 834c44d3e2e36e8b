import { Queue } from 'bullmq'
import { withoutTimeout } from './open-queue.ts'
import type { QueueAddress } from './queue-address.ts'
import { queuePrefix } from './registry.ts'

/** Of events, which are hints only: an answer is kept in its job until the asker has it. */
const eventsKept = 50

export interface CampaignQueue {
  readonly queue: Queue
  /** All of its keys but the jobs'. */
  readonly keys: readonly string[]
  /**
   * Those without a lifetime of their own: BullMQ's checks for stalled jobs wait for one that has
   * one to expire.
   */
  readonly lasting: readonly string[]
}

export function openCampaignQueue(campaign: string, address: QueueAddress): CampaignQueue {
  const queue = new Queue(campaign, {
    prefix: queuePrefix,
    connection: withoutTimeout(address),
    streams: { events: { maxLen: eventsKept } },
  })
  queue.on('error', () => {}) // It reconnects by itself; the registry's connection tells the user.
  const ofItsOwn = ['stalled-check', 'limiter'].map((name) => queue.toKey(name))
  const keys = Object.values(queue.keys)
  return { queue, keys, lasting: keys.filter((key) => !ofItsOwn.includes(key)) }
}
