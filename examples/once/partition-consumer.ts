/**
 * A consumer of one partition, as in Kafka: messages come in order, and a position is committed
 * only when everything before it is finished. The key is the event's own id. Partition and offset
 * cannot be the key, because a producer that sends an event twice makes two offsets. `producedAt`
 * is the record's timestamp, if the topic has `message.timestamp.type=CreateTime` and the producer
 * sets the timestamp to the creation time of the event. With LogAppendTime, or if a producer may
 * send an event again later, `producedAt` must be a field of the event.
 */
import type { Once, RunOutcome } from 'onceproof/once'

export interface PartitionRecord {
  readonly offset: number
  /** The event's id. */
  readonly key: string
  readonly value: unknown
  /** CreateTime, in milliseconds since the Unix epoch. */
  readonly timestamp: number
}

/** The part of a client that is used. */
export interface Partition {
  /** The next records after the committed position; empty if the consumer is to stop. */
  poll(): Promise<readonly PartitionRecord[]>
  /** Commits the position. Everything before offset `next` is finished. */
  commit(next: number): Promise<void>
  /** Writes the record to another topic, for a person. */
  deadLetter(record: PartitionRecord, why: string): Promise<void>
}

type Effect = (record: PartitionRecord, fence: number) => Promise<unknown>

/**
 * A retry blocks its partition. The consumer itself waits for it, because the broker cannot delay a
 * single message.
 */
export async function consume(partition: Partition, once: Once, effect: Effect): Promise<void> {
  for (;;) {
    const records = await partition.poll()
    if (records.length === 0) return
    for (const record of records) {
      const { key, value: payload, timestamp: producedAt } = record
      let outcome: RunOutcome<unknown>
      do {
        outcome = await once.run({ key, payload, producedAt }, ({ fence }) => effect(record, fence))
        if (outcome.status === 'retry') await waitFor(outcome.retryAfterMs)
      } while (outcome.status === 'retry')
      if (!['done', 'done-unkept', 'refused'].includes(outcome.status))
        await partition.deadLetter(record, whyOf(outcome))
      // The commit comes after `done` is on record or the dead letter is written. After a crash
      // before the commit, the record is delivered again.
      await partition.commit(record.offset + 1)
    }
  }
}

function whyOf(outcome: RunOutcome<unknown>): string {
  return 'reason' in outcome ? `${outcome.status}: ${outcome.reason}` : outcome.status
}

const waitFor = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
