/**
 * A topic with partitions and one consumer group, as in Kafka. A message goes to the partition of
 * its key, at the next offset. Each partition has one consumer, which takes a batch of messages,
 * handles them one at a time and in order, and commits the offset behind the batch. A `retry` or a
 * throw blocks the partition: the preceding messages are committed, and the message is delivered
 * again before the following ones. When its attempts have run out, its offset is committed as well
 * (and the message goes to a dead-letter topic).
 *
 * A consumer loses its partitions if it dies, or does not answer within the visibility timeout
 * (which combines Kafka's session and poll limits). The next consumers begin at the committed
 * offsets, so that answered messages are delivered again. The old consumer continues with the
 * messages that it has, and rejoins when it has answered them; the broker ignores these answers. A
 * new consumer gets its partitions when the current batches end (Kafka's cooperative rebalance).
 *
 * Not modelled: commits by timer, a timeout for a whole batch, transactions of Kafka, several
 * topics or groups, and the loss of partitions.
 */

import { assert } from 'virtual-node/assert'
import { hashText } from 'virtual-node/kernel'
import {
  type Answer,
  attemptsRanOut,
  Broker,
  type BrokerDeps,
  type Consumers,
  type Delivery,
  type Entry,
  type Named,
  type SettledAs,
  settlementBy,
} from './broker.ts'

interface Settlement {
  readonly as: SettledAs
  readonly reason?: string
}

interface Place {
  readonly partition: number
  readonly offset: number
}

interface Partition<P extends Named> {
  readonly log: Entry<P>[]
  /** All messages before this offset are finished. */
  committed: number
  /** The offset of the message that is delivered next, or that is being handled. */
  position: number
  /** The offset behind the batch that the consumer has taken. */
  batchEnd: number
  /** The consumer that has taken the batch; null between batches. */
  owner: P | null
  /** The consumer that takes the next batch. */
  next: P | null
  /** True while the message at `position` waits for its next attempt. */
  waits: boolean
}

export class PartitionedBroker<P extends Named> extends Broker<P> {
  readonly #partitions: readonly Partition<P>[]
  readonly #places = new Map<Entry<P>, Place>()
  /** The settlements of answered messages from the committed offset on. */
  readonly #answers = new Map<Entry<P>, Settlement>()
  /** Messages that the broker gives up on when they reach `position`. */
  readonly #exhausted = new Set<Entry<P>>()
  /**
   * The members of the group, in order of joining. A consumer that died stays a member until the
   * group notices.
   */
  readonly #members = new Set<P>()
  /** Consumers that have lost their partitions and still handle earlier messages. */
  readonly #zombies = new Set<P>()

  constructor(run: BrokerDeps, consumers: Consumers<P>) {
    super(run, consumers)
    const { broker } = run.plan
    assert(broker !== undefined, 'a broker has partitions where its plan has')
    const fresh = { committed: 0, position: 0, batchEnd: 0, owner: null, next: null, waits: false }
    this.#partitions = Array.from({ length: broker.partitions }, () => ({ log: [], ...fresh }))
  }

  protected override makeReady(entry: Entry<P>): void {
    const { id, key, keyless } = entry.message
    const partition = (hashText(keyless ? id : key, 0) >>> 0) % this.#partitions.length
    const { log } = this.#partitions[partition]!
    this.#places.set(entry, { partition, offset: log.length })
    log.push(entry)
    this.dispatch()
  }

  protected override placeOf(entry: Entry<P>): Place {
    return this.#places.get(entry)!
  }

  #partitionOf(entry: Entry<P>): Partition<P> {
    return this.#partitions[this.placeOf(entry).partition]!
  }

  override get orderAfterHold(): string {
    return 'each partition in its order'
  }

  override hold(on: boolean): boolean {
    if (this.held === on) return false
    this.held = on
    if (!on) this.dispatch()
    return true
  }

  override dispatch(): void {
    this.#join()
    for (const partition of this.#partitions) this.#goOn(partition)
  }

  override freed(): void {
    this.dispatch()
  }

  /** Adds new consumers, and those that have finished the messages of the partitions they lost. */
  #join(): void {
    const connected = this.consumers.connected()
    const coming = connected.filter(
      (process) => !this.#members.has(process) && !(this.#zombies.has(process) && this.consumers.handles(process)),
    )
    if (coming.length === 0) return
    for (const process of coming) {
      this.#zombies.delete(process)
      this.#members.add(process)
    }
    this.#share()
  }

  #share(): void {
    const members = [...this.#members]
    for (const [at, partition] of this.#partitions.entries())
      partition.next = members.length === 0 ? null : members[at % members.length]!
  }

  /** Delivers the next message of the partition, if there is one and its consumer can take it. */
  #goOn(partition: Partition<P>): void {
    const { log } = partition
    while (!this.held && !partition.waits) {
      const entry = log[partition.position]
      if (entry === undefined || entry.open !== null) return
      if (this.#exhausted.has(entry)) {
        this.#finish(partition, entry, { as: 'given-up', reason: attemptsRanOut })
        continue
      }
      const isNew = partition.position === partition.batchEnd
      const process = isNew ? partition.next : partition.owner
      if (process === null || !this.#takes(process)) return
      if (isNew) {
        assert(partition.committed === partition.position, 'a batch begins at the committed offset')
        partition.owner = process
        partition.batchEnd = Math.min(log.length, partition.position + this.run.plan.broker!.batch)
      }
      this.deliver(entry, process)
    }
  }

  /**
   * True if the consumer can take a message. A dead consumer takes none, even before the group
   * notices its death.
   */
  #takes(process: P): boolean {
    if (!this.consumers.connected().includes(process)) return false
    if (this.run.plan.serial !== true) return true
    return !this.consumers.handles(process) && !this.entries.some(({ open }) => open?.process === process)
  }

  override answer(delivery: Delivery<P>, answer: Answer): void {
    const { entry } = delivery
    if (entry.open !== delivery) return
    const partition = this.#partitionOf(entry)
    assert(partition.log[partition.position] === entry, 'a partition hands out one message at a time')
    this.movedUs = this.run.nowUs()
    if ('error' in answer) this.#putOff(partition, entry, this.delayMs(entry))
    else if (answer.outcome.status === 'retry')
      this.#putOff(partition, entry, this.delayMs(entry, answer.outcome.afterMs))
    else this.#finish(partition, entry, settlementBy(answer.outcome))
    this.dispatch()
  }

  #finish(partition: Partition<P>, entry: Entry<P>, settlement: Settlement): void {
    entry.open = null
    this.#answers.set(entry, settlement)
    partition.position++
    if (partition.position >= partition.batchEnd) this.commit(partition)
  }

  /**
   * Called after a `retry` or a throw: the consumer commits the preceding messages, and seeks back
   * to this one.
   */
  #putOff(partition: Partition<P>, entry: Entry<P>, delayMs: number): void {
    entry.open = null
    this.commit(partition)
    this.#tryAgain(partition, entry, delayMs)
  }

  #tryAgain(partition: Partition<P>, entry: Entry<P>, delayMs: number): void {
    if (this.isExhausted(entry)) {
      this.#exhausted.add(entry)
      return
    }
    if (delayMs === 0) return
    partition.waits = true
    this.later(delayMs, () => {
      partition.waits = false
      this.dispatch()
    })
  }

  /** Ends the batch, and settles its messages. */
  protected commit(partition: Partition<P>): void {
    const { log, position } = partition
    while (partition.committed < position) {
      const entry = log[partition.committed++]!
      const { as, reason } = this.#answers.get(entry)!
      this.settle(entry, as, reason)
    }
    partition.batchEnd = position
    partition.owner = null
  }

  protected override timedOut({ entry, process }: Delivery<P>): void {
    for (const { open } of this.entries)
      if (open !== null && open.process === process && open.entry !== entry)
        this.run.recorder.fact({ type: 'delivery-timed-out', deliveryId: open.id })
    this.#lose(process)
    this.#tryAgain(this.#partitionOf(entry), entry, this.delayAfterTimeoutMs(entry))
    this.dispatch()
  }

  /** Removes the consumer from the group: its partitions go back to the committed offsets. */
  #lose(process: P): void {
    this.#members.delete(process)
    this.#zombies.add(process)
    for (const partition of this.#partitions) if (partition.owner === process) this.#takeBack(partition)
    this.#share()
  }

  #takeBack(partition: Partition<P>): void {
    const out = partition.log[partition.position]
    if (out !== undefined) out.open = null
    partition.position = partition.committed
    partition.batchEnd = partition.committed
    partition.owner = null
    this.movedUs = this.run.nowUs()
  }

  protected override skip({ entry }: Delivery<P>): void {
    const partition = this.#partitionOf(entry)
    this.#finish(partition, entry, { as: 'passed-over' })
    this.commit(partition)
    this.dispatch()
  }

  override disconnected(process: P): void {
    if (!this.#members.has(process)) return
    const leave = () => {
      if (!this.#members.has(process)) return
      const out = this.entries.filter(({ open }) => open?.process === process)
      this.#lose(process)
      for (const entry of out) this.#tryAgain(this.#partitionOf(entry), entry, 0)
      this.dispatch()
    }
    if (this.run.chance('requeue at once', 2) === 0) this.run.after(this.run.plan.visibilityMs * 1000, leave)
    else leave()
  }

  /**
   * The group considers a working consumer dead, and gives its partitions to others. Null if no
   * message is being handled or there is no other consumer.
   */
  override rebalance(messageIndex: number): { readonly to: P; readonly sentence: string } | null {
    const out = this.entries.flatMap(({ open }) => open ?? [])
    if (out.length === 0) return null
    const { entry, process: from } = out[messageIndex % out.length]!
    const connected = this.consumers.connected()
    if (![...this.#members].some((member) => member !== from && connected.includes(member))) return null
    const { partition } = this.placeOf(entry)
    this.#lose(from)
    const to = this.#partitions[partition]!.next!
    const offset = this.#partitions[partition]!.committed
    this.dispatch()
    const { id, key } = entry.message
    const sentence =
      `a rebalance takes partition ${partition} from ${from.name}, which has ${id} (key ${key}), ` +
      `and gives it to ${to.name}, from offset ${offset}`
    return { to, sentence }
  }
}

/** The kind of broker that the plan asks for. */
export function newBroker<P extends Named>(run: BrokerDeps, consumers: Consumers<P>): Broker<P> {
  return run.plan.broker === undefined ? new Broker(run, consumers) : new PartitionedBroker(run, consumers)
}
