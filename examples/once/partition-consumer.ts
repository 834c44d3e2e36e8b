/**
 * A consumer of one partition, as Kafka has them: messages in order, and a position that is committed only when everything
 * before it is finished. The key is the event's own id, not partition and offset: a producer that repeats itself makes two
 * offsets. `producedAt` is the record's timestamp where the topic has `message.timestamp.type=CreateTime` and the producer
 * sets it to when the event came to be; with LogAppendTime, or where a producer may repeat itself later, it is a field of the
 * event.
 */
import type { Once, RunOutcome } from '../../src/impl/once.ts'

export interface PartitionRecord {
  readonly offset: number
  /** The event's id. */
  readonly key: string
  readonly value: unknown
  /** CreateTime, in milliseconds since the Unix epoch. */
  readonly timestamp: number
}

/** As much of a client as is used. */
export interface Partition {
  /** The next records from the committed position on; none once the consumer is to stop. */
  poll(): Promise<readonly PartitionRecord[]>
  /** Everything before this offset is finished. */
  commit(next: number): Promise<void>
  /** Another topic, for a person to look at. */
  deadLetter(record: PartitionRecord, why: string): Promise<void>
}

type Effect = (record: PartitionRecord, fence: number) => Promise<unknown>

/** A retry holds up its partition, and is waited for here: the broker knows no delay for a single message. */
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
      if (!['done', 'refused'].includes(outcome.status)) await partition.deadLetter(record, whyOf(outcome))
      // After `done` is on record, and after the dead letter is written: a crash before it delivers the record again.
      await partition.commit(record.offset + 1)
    }
  }
}

function whyOf(outcome: RunOutcome<unknown>): string {
  return 'reason' in outcome ? `${outcome.status}: ${outcome.reason}` : outcome.status
}

const waitFor = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
