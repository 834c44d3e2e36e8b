/**
 * A consumer of one partition, as Kafka has them: messages in order, and a position that is
 * committed only when everything before it is finished. The key is the event's own id, not
 * partition and offset, because a producer that repeats itself makes two offsets. `producedAt` is
 * the record's timestamp if the topic has `message.timestamp.type=CreateTime` and the producer sets
 * it to when the event was made. With LogAppendTime, or if a producer may repeat itself later, it
 * is a field of the event.
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

/** The members of a client that are used. */
export interface Partition {
  /** The next records after the committed position; empty if the consumer has to stop. */
  poll(): Promise<readonly PartitionRecord[]>
  /** Everything before this offset is finished. */
  commit(next: number): Promise<void>
  /** Another topic, for a person to look at. */
  deadLetter(record: PartitionRecord, why: string): Promise<void>
}

type Effect = (record: PartitionRecord, fence: number) => Promise<unknown>

/** A retry delays its partition, because the broker has no delay for a single message. */
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
      // This comes last: after a crash before it, the record is delivered again.
      await partition.commit(record.offset + 1)
    }
  }
}

function whyOf(outcome: RunOutcome<unknown>): string {
  return 'reason' in outcome ? `${outcome.status}: ${outcome.reason}` : outcome.status
}

const waitFor = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
