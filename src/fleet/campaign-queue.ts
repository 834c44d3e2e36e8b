import { Queue } from 'bullmq'
import { patient } from './open-queue.ts'
import type { QueueAddress } from './queue-address.ts'
import { queuePrefix } from './registry.ts'

/** Of events, which are hints only: an answer is kept in its job until the asker has it. */
const eventsKept = 50

/** One campaign's queue, and the names of all its keys but the jobs'. */
export function openCampaignQueue(campaign: string, address: QueueAddress): { queue: Queue; keys: readonly string[] } {
  const queue = new Queue(campaign, {
    ...{ prefix: queuePrefix, connection: patient(address), streams: { events: { maxLen: eventsKept } } },
  })
  queue.on('error', () => {}) // It reconnects by itself; the registry's connection tells the user.
  const keys = Object.values(queue.keys)
  return { queue, keys }
}
