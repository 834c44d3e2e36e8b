/** Consumer groups: deliveries that are not acknowledged yet. */
import { compareBytes } from './entry.ts'
import type { StreamId } from './stream-id.ts'

/** A delivery that is not acknowledged yet. */
export interface Pending {
  consumer: Consumer
  deliveredMs: number
  deliveries: number
}

/** Pending entries by ID, in ascending order. */
export class PendingList {
  private readonly byId = new Map<StreamId, Pending>()
  private readonly order: StreamId[] = []

  get size(): number {
    return this.order.length
  }

  get(id: StreamId): Pending | undefined {
    return this.byId.get(id)
  }

  set(id: StreamId, pending: Pending): void {
    if (!this.byId.has(id)) this.order.splice(this.position(id), 0, id)
    this.byId.set(id, pending)
  }

  delete(id: StreamId): void {
    if (this.byId.delete(id)) this.order.splice(this.position(id), 1)
  }

  /** A snapshot of the IDs starting at `from`. */
  idsFrom(from: StreamId): readonly StreamId[] {
    return this.order.slice(this.position(from))
  }

  get first(): StreamId | undefined {
    return this.order[0]
  }

  get last(): StreamId | undefined {
    return this.order.at(-1)
  }

  /** The index at which the ID is or would be inserted. */
  private position(id: StreamId): number {
    let low = 0
    let high = this.order.length
    if (high > 0 && this.order[high - 1]! < id) return high
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.order[middle]! < id) low = middle + 1
      else high = middle
    }
    return low
  }
}

export class Consumer {
  readonly pending = new PendingList()
  constructor(
    readonly name: string,
    public seenMs: number,
  ) {}
}

export class ConsumerGroup {
  readonly pending = new PendingList()
  readonly consumers = new Map<string, Consumer>()

  constructor(
    readonly name: string,
    public lastId: StreamId,
    /**
     * Number of entries delivered to the group during the whole life of the stream; null if
     * unknown.
     */
    public entriesRead: number | null,
  ) {}

  orderedConsumers(): Consumer[] {
    return [...this.consumers.values()].sort((a, b) => compareBytes(a.name, b.name))
  }

  /** Removes a pending entry that was acknowledged, deleted, or assigned to another consumer. */
  release(id: StreamId): boolean {
    const pending = this.pending.get(id)
    if (pending === undefined) return false
    this.pending.delete(id)
    pending.consumer.pending.delete(id)
    return true
  }

  /** Assigns the entry to `consumer`, and removes it from the consumer that had it before. */
  assign(id: StreamId, consumer: Consumer, deliveredMs: number, deliveries: number): Pending {
    this.release(id)
    const pending = { consumer, deliveredMs, deliveries }
    this.pending.set(id, pending)
    consumer.pending.set(id, pending)
    return pending
  }

  copy(): ConsumerGroup {
    const copy = new ConsumerGroup(this.name, this.lastId, this.entriesRead)
    for (const { name, seenMs, pending } of this.consumers.values()) {
      const consumer = new Consumer(name, seenMs)
      copy.consumers.set(name, consumer)
      for (const id of pending.idsFrom(0n)) {
        const { deliveredMs, deliveries } = pending.get(id)!
        copy.assign(id, consumer, deliveredMs, deliveries)
      }
    }
    return copy
  }
}
