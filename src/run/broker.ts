/**
 * An at-least-once broker with competing consumers: visibility time-out, redelivery, attempts
 * counted, dead-lettering. It keeps everything whose offset it is not made to skip, and hands out
 * in order of readiness. An answer that comes after its delivery timed out is ignored, as an
 * expired receipt handle is. Where consumers are serial, one is handed a message only when it has
 * none (a prefetch of 1); a rebalance hands it another one all the same, which then waits in the
 * consumer. Left out: other prefetch limits, priorities. partitioned-broker.ts has partitions.
 *
 * Simulated runs and live ones have the same broker: time, chance and processes are given to it.
 */

import { assert } from 'virtual-node/assert'
import type { Fact } from '../contract/api/history.ts'
import type { Message, Outcome } from '../contract/api/message.ts'
import type { Plan } from '../contract/api/plan.ts'
import { Count } from './count.ts'

/** The longest pause before a redelivery, jitter left out. */
const longestDelayMs = 30_000

/**
 * What timed out is handed out again at once until it has had this many attempts; then the broker
 * slows down as for a `retry`.
 */
export const promptAttempts = 6

/** No redelivery comes later than this after the answer that asked for it. */
export const redeliveryBoundMs = 2 * longestDelayMs

/** What the broker knows of a process. */
export interface Named {
  readonly name: string
}

export interface Entry<P extends Named> {
  readonly message: Message
  readonly fingerprint: string
  /** How far the produced-at time of the message is off that of its key, in milliseconds. */
  readonly producedAtOffMs: number
  attempts: number
  firstHandedUs: number | null
  /**
   * The delivery that is out and still counts; null while the entry waits, and once it is settled.
   */
  open: Delivery<P> | null
  settled: boolean
}

export interface Delivery<P extends Named> {
  readonly id: number
  readonly entry: Entry<P>
  readonly process: P
}

/** The consumers as the broker sees them. */
export interface Consumers<P extends Named> {
  /** Processes that are connected, paused ones included: the broker cannot tell. */
  connected(): readonly P[]
  /** Whether the process has deliveries that it has not answered. */
  handles(process: P): boolean
  /** Starts handling in `process`; answers come to `Broker.answer`. */
  hand(delivery: Delivery<P>): void
}

/** The run that the broker is part of. */
export interface BrokerDeps {
  readonly plan: Plan
  readonly recorder: { fact(fact: Fact): void }
  /** An integer below `n`; `what` names the decision. */
  chance(what: string, n: number): number
  after(delayUs: number, work: () => void): void
  nowUs(): number
  /**
   * It gives up on no message sooner than this after its first hand-over: a layer may take as long
   * as it declares.
   */
  readonly gracePeriodMs: number
}

/** What a handler gave back. */
export type Answer =
  | { readonly outcome: Outcome }
  /** It threw; `notAnOutcome`: it answered something that its contract does not know. */
  | { readonly error: string; readonly notAnOutcome?: true }

/** What becomes of a message that the broker is finished with. */
export type SettledAs = Extract<Fact, { type: 'settled' }>['as']

export const attemptsRanOut = 'its attempts ran out'

/** What becomes of a message by its answer. */
export function settlementBy(outcome: Exclude<Outcome, { status: 'retry' }>): { as: SettledAs; reason?: string } {
  return outcome.status === 'dead-letter' ? { as: 'dead-lettered', reason: outcome.reason } : { as: outcome.status }
}

export class Broker<P extends Named> {
  readonly entries: Entry<P>[] = []
  readonly #ready: Entry<P>[] = []
  #deliveries = 0
  protected held = false
  /** Whether some message was settled as accepted: its layer works on without deliveries. */
  hasAccepted = false
  readonly #unsettled = new Count('a message is settled once')
  /** When a message was last published, handed out, handed back or settled. */
  movedUs = 0

  constructor(
    protected readonly run: BrokerDeps,
    protected readonly consumers: Consumers<P>,
  ) {}

  get restful(): boolean {
    return this.#unsettled.now === 0
  }

  /** How many messages are not settled. */
  get unsettled(): number {
    return this.#unsettled.now
  }

  /**
   * `producedAtOffMs`: how far `producedAt` is off that of the key. A copy has it too, and does not
   * tell it again.
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
    assert(entry.open === null && !entry.settled, 'only a message that waits becomes ready')
    assert(!this.#ready.includes(entry), 'a message waits once')
    this.#ready.push(entry)
    this.dispatch()
  }

  /** In what order messages come that it has held back. */
  get orderAfterHold(): string {
    return 'the newest first'
  }

  /**
   * Holds everything back; what has waited is then handed out in the reverse of its order. False if
   * it was so before.
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

  /** Hands out what is ready; called whenever something became ready or a consumer came. */
  dispatch(): void {
    if (this.held) return
    while (this.#ready.length > 0) {
      const processes = this.#takers()
      if (processes.length === 0) return
      const entry = this.#ready.shift()!
      assert(entry.open === null, 'a message that is ready is not out')
      this.deliver(entry, processes[this.run.chance('consumer', processes.length)]!)
    }
  }

  /**
   * Of serial consumers, those that have nothing: neither a delivery that counts, nor one that they
   * still handle.
   */
  #takers(): readonly P[] {
    const connected = this.consumers.connected()
    if (this.run.plan.serial !== true) return connected
    const has = new Set(this.entries.flatMap(({ open }) => open?.process ?? []))
    return connected.filter((process) => !has.has(process) && !this.consumers.handles(process))
  }

  /** A consumer may have nothing left to do: a serial one can then be handed another message. */
  freed(): void {
    if (this.run.plan.serial === true) this.dispatch()
  }

  /**
   * Hands `entry` to `process`, even while another delivery of it is out (a rebalance does that).
   */
  deliver(entry: Entry<P>, process: P): void {
    const { recorder, plan } = this.run
    assert(!entry.settled, 'a message that is settled is not handed out')
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

  /** The place of the message in its topic. Empty: there are no partitions. */
  protected placeOf(_entry: Entry<P>): { readonly partition?: number; readonly offset?: number } {
    return {}
  }

  protected timedOut({ entry }: Delivery<P>): void {
    this.#again(entry, this.delayAfterTimeoutMs(entry))
  }

  protected delayAfterTimeoutMs(entry: Entry<P>): number {
    return entry.attempts < promptAttempts ? 0 : this.delayMs(entry)
  }

  /** It gives up on a message that has had all its attempts, and its time. */
  protected isExhausted({ attempts, firstHandedUs }: Entry<P>): boolean {
    const handedForUs = this.run.nowUs() - (firstHandedUs ?? 0)
    return attempts >= this.run.plan.maxAttempts && handedForUs >= this.run.gracePeriodMs * 1000
  }

  /** The broker gives up on the delivery and hands the message out again. */
  #again(entry: Entry<P>, delayMs: number): void {
    assert(entry.open !== null, 'the broker gives up only on a delivery that is out')
    entry.open = null
    this.movedUs = this.run.nowUs()
    if (this.isExhausted(entry)) return this.#settleAndGoOn(entry, 'given-up', attemptsRanOut)
    if (delayMs === 0) return this.makeReady(entry)
    this.freed()
    this.later(delayMs, () => this.makeReady(entry))
  }

  /** Does the work after the pause, and up to as long again. */
  protected later(delayMs: number, work: () => void): void {
    const jitterUs = this.run.chance('redelivery', 1000) * delayMs
    const pauseUs = delayMs * 1000 + jitterUs
    assert(pauseUs <= redeliveryBoundMs * 1000, 'no redelivery comes later than its bound')
    this.run.after(pauseUs, work)
  }

  /**
   * Twice as long after every attempt, up to half a minute, as brokers with delayed retries are set
   * up: fifty attempts then outlast every fault that heals, so that giving up is a layer's doing
   * and not the plan's. Longer where the layer asks for it.
   */
  protected delayMs(entry: Entry<P>, afterMs = 0): number {
    return Math.min(Math.max(this.run.plan.redeliveryMs * 2 ** (entry.attempts - 1), afterMs), longestDelayMs)
  }

  /** An answer arrived. */
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
   * Skips the offset of a message that is out with a consumer, as logs do whose consumers commit
   * the newest position that they have finished: it is not handed out again, and what its handler
   * answers is not heard.
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
    assert(!this.#ready.includes(entry), 'a message that is settled waits no more')
    entry.settled = true
    this.movedUs = this.run.nowUs()
    if (as === 'accepted') this.hasAccepted = true
    entry.open = null
    this.#unsettled.end()
    const messageId = entry.message.id
    this.run.recorder.fact({ type: 'settled', messageId, as, ...(reason === undefined ? {} : { reason }) })
  }

  /**
   * A consumer's connection closed; some brokers hand its messages out at once, others wait for the
   * time-out.
   */
  disconnected(process: P): void {
    if (this.run.chance('requeue at once', 2) === 0) return
    for (const entry of this.entries) if (entry.open?.process === process) this.#again(entry, 0)
  }

  /** Hands one message that is out with a consumer to another one as well. */
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
