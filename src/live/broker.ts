import type { Message, Outcome } from '../contract/message.ts'
import type { Plan } from '../contract/plan.ts'
import type { ConsumerProcess } from './consumer-process.ts'
import type { LiveRecorder } from './recorder.ts'
import type { LiveTimers } from './timers.ts'

/** The longest pause before a redelivery, jitter left out. */
const longestDelayMs = 30_000
/** What timed out is handed out again at once, so many times; then the broker slows down as for a `retry`. */
const promptAttempts = 6
/** No redelivery comes later than this after the answer that asked for it. */
export const redeliveryBoundMs = 2 * longestDelayMs

export interface Entry {
  readonly message: Message
  readonly fingerprint: string
  attempts: number
  /** The delivery that is out and still counts; null while the entry waits, and once it is settled. */
  open: Delivery | null
}

export interface Delivery {
  readonly id: number
  readonly entry: Entry
  readonly process: ConsumerProcess
}

export type Answer = { readonly outcome: Outcome } | { readonly error: string }

interface Surroundings {
  readonly plan: Plan
  readonly timers: LiveTimers
  readonly recorder: LiveRecorder
  readonly chance: (n: number) => number
  /** Processes that are connected, paused ones included: the broker cannot tell. */
  connected(): readonly ConsumerProcess[]
  hand(delivery: Delivery): void
}

/**
 * An at-least-once broker by the same rules as the simulated one (src/sim/broker): visibility time-out, redelivery,
 * attempts counted, parking; it keeps everything, and ignores answers that come after a delivery timed out.
 */
export class LiveBroker {
  readonly entries: Entry[] = []
  readonly #ready: Entry[] = []
  #deliveries = 0
  #held = false
  #unsettled = 0

  constructor(private readonly around: Surroundings) {}

  get restful(): boolean {
    return this.#unsettled === 0
  }

  publish(message: Message, fingerprint: string, copy: boolean): void {
    const { id: messageId, key } = message
    this.around.recorder.fact({ type: 'published', messageId, key, fingerprint, copy })
    const entry = { message, fingerprint, attempts: 0, open: null }
    this.entries.push(entry)
    this.#unsettled++
    this.#makeReady(entry)
  }

  #makeReady(entry: Entry): void {
    this.#ready.push(entry)
    this.dispatch()
  }

  /** Holds everything back, and hands it out in the reverse of its order. False where it was so before. */
  hold(on: boolean): boolean {
    if (this.#held === on) return false
    this.#held = on
    if (!on) {
      this.#ready.reverse()
      this.dispatch()
    }
    return true
  }

  dispatch(): void {
    if (this.#held) return
    while (this.#ready.length > 0) {
      const processes = this.around.connected()
      if (processes.length === 0) return
      this.deliver(this.#ready.shift()!, processes[this.around.chance(processes.length)]!)
    }
  }

  /** Hands `entry` to `process`, even while another delivery of it is out. */
  deliver(entry: Entry, process: ConsumerProcess): void {
    const { recorder, timers, plan } = this.around
    const delivery: Delivery = { id: ++this.#deliveries, entry, process }
    entry.attempts++
    entry.open = delivery
    const { id: messageId, key } = entry.message
    const { fingerprint, attempts } = entry
    const fact = { deliveryId: delivery.id, messageId, key, fingerprint, attempt: attempts, process: process.name }
    recorder.fact({ type: 'delivered', ...fact })
    timers.after(plan.visibilityMs, () => {
      if (entry.open !== delivery) return
      recorder.fact({ type: 'delivery-timed-out', deliveryId: delivery.id })
      this.#again(entry, entry.attempts < promptAttempts ? 0 : this.#delayMs(entry))
    })
    this.around.hand(delivery)
  }

  #again(entry: Entry, delayMs: number): void {
    const { plan, chance, timers } = this.around
    entry.open = null
    if (entry.attempts >= plan.maxAttempts) return this.#settle(entry, 'given-up', 'its attempts ran out')
    if (delayMs === 0) return this.#makeReady(entry)
    timers.after(delayMs * (1 + chance(1000) / 1000), () => this.#makeReady(entry))
  }

  /** Twice as long after every attempt, up to half a minute. */
  #delayMs(entry: Entry): number {
    return Math.min(this.around.plan.redeliveryMs * 2 ** (entry.attempts - 1), longestDelayMs)
  }

  answer(delivery: Delivery, answer: Answer): void {
    const { entry } = delivery
    if (entry.open !== delivery) return
    if ('error' in answer || answer.outcome.status === 'retry') return this.#again(entry, this.#delayMs(entry))
    const { outcome } = answer
    if (outcome.status === 'park') this.#settle(entry, 'parked', outcome.reason)
    else this.#settle(entry, outcome.status)
  }

  #settle(entry: Entry, as: 'done' | 'refused' | 'parked' | 'given-up', reason?: string): void {
    entry.open = null
    this.#unsettled--
    const messageId = entry.message.id
    this.around.recorder.fact({ type: 'settled', messageId, as, ...(reason === undefined ? {} : { reason }) })
  }

  /** A consumer is gone; some brokers hand its messages out at once, others wait for the time-out. */
  disconnected(process: ConsumerProcess): void {
    if (this.around.chance(2) === 0) return
    for (const entry of this.entries) if (entry.open?.process === process) this.#again(entry, 0)
  }

  /** Hands one message that is out with a consumer to another one as well. */
  rebalance(messageIndex: number): { message: Message; from: ConsumerProcess; to: ConsumerProcess } | null {
    const out = this.entries.filter((entry) => entry.open !== null)
    if (out.length === 0) return null
    const entry = out[messageIndex % out.length]!
    const from = entry.open!.process
    const others = this.around.connected().filter((process) => process !== from)
    if (others.length === 0) return null
    const to = others[this.around.chance(others.length)]!
    this.deliver(entry, to)
    return { message: entry.message, from, to }
  }
}
