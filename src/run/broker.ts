/**
 * An at-least-once broker with competing consumers: visibility timeout, redelivery, counted
 * attempts, dead-lettering. It loses no message unless it is made to skip an offset, and delivers
 * in order of readiness. It ignores an answer that comes after its delivery timed out, as brokers
 * ignore an expired receipt handle. A serial consumer gets a message only when it is handling none
 * (a prefetch of 1). A rebalance still delivers another message to it, which then waits in the
 * consumer. Not modelled: other prefetch limits, priorities. See partitioned-broker.ts for
 * partitions.
 *
 * Simulated and live runs use the same broker; the clock, random numbers and processes are
 * injected.
 */

import { assert } from 'virtual-node/assert'
import type { Fact } from '../contract/api/history.ts'
import type { Message, Outcome } from '../contract/api/message.ts'
import type { Plan } from '../contract/api/plan.ts'
import { Count } from './count.ts'

/** The longest pause before a redelivery, in milliseconds, without jitter. */
const longestDelayMs = 30_000

/**
 * A message whose delivery timed out is delivered again at once until it has had this many
 * attempts. After that, the broker waits as after a `retry`.
 */
export const promptAttempts = 6

/** The upper bound for the time from an answer `retry` to the redelivery, in milliseconds. */
export const redeliveryBoundMs = 2 * longestDelayMs

/** The broker's view of a process. */
export interface Named {
  readonly name: string
}

export interface Entry<P extends Named> {
  readonly message: Message
  readonly fingerprint: string
  /** By how many milliseconds the produced-at time of the message differs from that of its key. */
  readonly producedAtOffMs: number
  attempts: number
  firstHandedUs: number | null
  /**
   * The delivery whose answer the broker still accepts; null while the entry waits, and after it is
   * settled.
   */
  open: Delivery<P> | null
  settled: boolean
}

export interface Delivery<P extends Named> {
  readonly id: number
  readonly entry: Entry<P>
  readonly process: P
}

/** The broker's view of the consumers. */
export interface Consumers<P extends Named> {
  /**
   * Processes that are connected, including paused ones, because the broker cannot detect a pause.
   */
  connected(): readonly P[]
  /** True if the process has unanswered deliveries. */
  handles(process: P): boolean
  /** Starts handling in `process`; answers go to `Broker.answer`. */
  hand(delivery: Delivery<P>): void
}

/** The members of the run that the broker uses. */
export interface BrokerDeps {
  readonly plan: Plan
  readonly recorder: { fact(fact: Fact): void }
  /** Draws an integer from 0 to `n` - 1; `what` names the decision. */
  chance(what: string, n: number): number
  after(delayUs: number, work: () => void): void
  nowUs(): number
  /**
   * The minimum time from the first delivery of a message until the broker gives up on it, because
   * a layer may declare a long recovery time.
   */
  readonly gracePeriodMs: number
}

/** The result of a handler. */
export type Answer =
  | { readonly outcome: Outcome }
  /** The handler threw. `notAnOutcome`: it returned something that is not a valid outcome. */
  | { readonly error: string; readonly notAnOutcome?: true }

/** The final state of a message. */
export type SettledAs = Extract<Fact, { type: 'settled' }>['as']

export const attemptsRanOut = 'its attempts ran out'

/** The final state of a message whose handler answered with this outcome. */
export function settlementBy(outcome: Exclude<Outcome, { status: 'retry' }>): { as: SettledAs; reason?: string } {
  return outcome.status === 'dead-letter' ? { as: 'dead-lettered', reason: outcome.reason } : { as: outcome.status }
}

export class Broker<P extends Named> {
  readonly entries: Entry<P>[] = []
  readonly #ready: Entry<P>[] = []
  #deliveries = 0
  protected held = false
  /** True if a message was settled as accepted. Its layer then still has to perform the effect. */
  hasAccepted = false
  readonly #unsettled = new Count('a message is settled once')
  /** When a message was last published, delivered, returned or settled. */
  movedUs = 0

  constructor(
    protected readonly run: BrokerDeps,
    protected readonly consumers: Consumers<P>,
  ) {}

  get restful(): boolean {
    return this.#unsettled.now === 0
  }

  /** The number of messages that are not settled. */
  get unsettled(): number {
    return this.#unsettled.now
  }

  /**
   * `producedAtOffMs`: by how much `producedAt` differs from the produced-at time of the key. The
   * `published` fact of a copy does not contain it.
   */
  publish(message: Message, fingerprint: string, copy: boolean, producedAtOffMs = 0): void {
    const { id: messageId, key } = message
    const off = copy || producedAtOffMs === 0 ? {} : { producedAtOffMs }
    this.run.recorder.fact({ type: 'published', messageId, key, fingerprint, copy, ...off })
    const entry = {
      message,
      fingerprint,
      producedAtOffMs,
      attempts: 0,
      firstHandedUs: null,
      open: null,
      settled: false,
    }
    this.entries.push(entry)
    this.movedUs = this.run.nowUs()
    this.#unsettled.begin()
    this.makeReady(entry)
  }

  protected makeReady(entry: Entry<P>): void {
    assert(entry.open === null && !entry.settled, 'only a waiting message becomes ready')
    assert(!this.#ready.includes(entry), 'a message waits in one place')
    this.#ready.push(entry)
    this.dispatch()
  }

  /** The order in which messages are delivered after a hold, in words. */
  get orderAfterHold(): string {
    return 'the newest first'
  }

  /**
   * Starts or ends a hold, during which no message is delivered. After the hold, waiting messages
   * are delivered in reverse order. False if nothing changes.
   */
  hold(on: boolean): boolean {
    if (this.held === on) return false
    this.held = on
    if (!on) {
      this.#ready.reverse()
      this.dispatch()
    }
    return true
  }

  /** Delivers ready messages; called whenever a message becomes ready or a consumer arrives. */
  dispatch(): void {
    if (this.held) return
    while (this.#ready.length > 0) {
      const processes = this.#takers()
      if (processes.length === 0) return
      const entry = this.#ready.shift()!
      assert(entry.open === null, 'a ready message is not out for delivery')
      this.deliver(entry, processes[this.run.chance('consumer', processes.length)]!)
    }
  }

  /**
   * Consumers that can take a message. A serial consumer must have no open delivery, and must not
   * be handling an earlier one.
   */
  #takers(): readonly P[] {
    const connected = this.consumers.connected()
    if (this.run.plan.serial !== true) return connected
    const has = new Set(this.entries.flatMap(({ open }) => open?.process ?? []))
    return connected.filter((process) => !has.has(process) && !this.consumers.handles(process))
  }

  /**
   * Called when a consumer may have finished its work. A serial consumer can then get another
   * message.
   */
  freed(): void {
    if (this.run.plan.serial === true) this.dispatch()
  }

  /**
   * Delivers `entry` to `process`, even while another delivery of the entry is open, as in a
   * rebalance.
   */
  deliver(entry: Entry<P>, process: P): void {
    const { recorder, plan } = this.run
    assert(!entry.settled, 'a settled message is not delivered')
    const delivery: Delivery<P> = { id: ++this.#deliveries, entry, process }
    entry.attempts++
    this.movedUs = this.run.nowUs()
    entry.firstHandedUs ??= this.movedUs
    entry.open = delivery
    const { id: messageId, key } = entry.message
    const { fingerprint, attempts } = entry
    const fact = { deliveryId: delivery.id, messageId, key, fingerprint, attempt: attempts, process: process.name }
    recorder.fact({ type: 'delivered', ...fact, ...this.placeOf(entry) })
    this.run.after(plan.visibilityMs * 1000, () => {
      if (entry.open !== delivery) return
      recorder.fact({ type: 'delivery-timed-out', deliveryId: delivery.id })
      this.timedOut(delivery)
    })
    this.consumers.hand(delivery)
  }

  /** The position of the message in its topic. Empty if there are no partitions. */
  protected placeOf(_entry: Entry<P>): { readonly partition?: number; readonly offset?: number } {
    return {}
  }

  protected timedOut({ entry }: Delivery<P>): void {
    this.#again(entry, this.delayAfterTimeoutMs(entry))
  }

  protected delayAfterTimeoutMs(entry: Entry<P>): number {
    return entry.attempts < promptAttempts ? 0 : this.delayMs(entry)
  }

  /**
   * True if a message has had `maxAttempts` deliveries, and the grace period since its first
   * delivery is over.
   */
  protected isExhausted({ attempts, firstHandedUs }: Entry<P>): boolean {
    const handedForUs = this.run.nowUs() - (firstHandedUs ?? 0)
    return attempts >= this.run.plan.maxAttempts && handedForUs >= this.run.gracePeriodMs * 1000
  }

  /** The broker gives up on the delivery and makes the message ready again. */
  #again(entry: Entry<P>, delayMs: number): void {
    assert(entry.open !== null, 'the broker gives up only on an outstanding delivery')
    entry.open = null
    this.movedUs = this.run.nowUs()
    if (this.isExhausted(entry)) return this.#settleAndGoOn(entry, 'given-up', attemptsRanOut)
    if (delayMs === 0) return this.makeReady(entry)
    this.freed()
    this.later(delayMs, () => this.makeReady(entry))
  }

  /** Does the work after `delayMs` plus a random jitter of up to the same length. */
  protected later(delayMs: number, work: () => void): void {
    const jitterUs = this.run.chance('redelivery', 1000) * delayMs
    const pauseUs = delayMs * 1000 + jitterUs
    assert(pauseUs <= redeliveryBoundMs * 1000, 'no redelivery comes later than its bound')
    this.run.after(pauseUs, work)
  }

  /**
   * The pause before a redelivery. It doubles after every attempt, up to half a minute, as in
   * brokers that are configured with delayed retries. `afterMs` of the layer makes it longer, up to
   * the same limit. Fifty attempts then outlast every fault that heals, so that only the layer can
   * cause the broker to give up on a message.
   */
  protected delayMs(entry: Entry<P>, afterMs = 0): number {
    return Math.min(Math.max(this.run.plan.redeliveryMs * 2 ** (entry.attempts - 1), afterMs), longestDelayMs)
  }

  /** Called when a process has answered a delivery. */
  answer(delivery: Delivery<P>, answer: Answer): void {
    const { entry } = delivery
    if (entry.open !== delivery) return
    if ('error' in answer) return this.#again(entry, this.delayMs(entry))
    const { outcome } = answer
    if (outcome.status === 'retry') return this.#again(entry, this.delayMs(entry, outcome.afterMs))
    const { as, reason } = settlementBy(outcome)
    this.#settleAndGoOn(entry, as, reason)
  }

  /**
   * Skips the offset of a message that a consumer is handling, as happens with a log if a consumer
   * commits the newest offset that it has finished. The message is not delivered again, and the
   * answer of its handler is ignored. Null if no message is being handled.
   */
  passOver(messageIndex: number): Delivery<P> | null {
    const out = this.entries.flatMap(({ open }) => open ?? [])
    if (out.length === 0) return null
    const delivery = out[messageIndex % out.length]!
    this.skip(delivery)
    return delivery
  }

  protected skip({ entry }: Delivery<P>): void {
    this.#settleAndGoOn(entry, 'passed-over')
  }

  #settleAndGoOn(entry: Entry<P>, as: SettledAs, reason?: string): void {
    this.settle(entry, as, reason)
    this.freed()
  }

  protected settle(entry: Entry<P>, as: SettledAs, reason?: string): void {
    assert(!entry.settled, 'a message is settled once')
    assert(!this.#ready.includes(entry), 'a settled message does not wait')
    entry.settled = true
    this.movedUs = this.run.nowUs()
    if (as === 'accepted') this.hasAccepted = true
    entry.open = null
    this.#unsettled.end()
    const messageId = entry.message.id
    this.run.recorder.fact({ type: 'settled', messageId, as, ...(reason === undefined ? {} : { reason }) })
  }

  /**
   * Called when a consumer's connection has closed. Some brokers redeliver its messages at once;
   * others wait for the timeout.
   */
  disconnected(process: P): void {
    if (this.run.chance('requeue at once', 2) === 0) return
    for (const entry of this.entries) if (entry.open?.process === process) this.#again(entry, 0)
  }

  /**
   * Delivers one message that a consumer is handling to another consumer as well. Null if there is
   * no such message or no other consumer.
   */
  rebalance(messageIndex: number): { readonly to: P; readonly sentence: string } | null {
    const out = this.entries.filter((entry) => entry.open !== null)
    if (out.length === 0) return null
    const entry = out[messageIndex % out.length]!
    const from = entry.open!.process
    const others = this.consumers.connected().filter((process) => process !== from)
    if (others.length === 0) return null
    const to = others[this.run.chance('rebalance to', others.length)]!
    this.deliver(entry, to)
    const { id, key } = entry.message
    return { to, sentence: `a rebalance delivers ${id} (key ${key}) of ${from.name} to ${to.name} as well` }
  }
}
