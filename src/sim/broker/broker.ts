import type { Message, Outcome } from '../../contract/message.ts'
import type { ChoiceStream } from '../kernel/choices.ts'
import type { VirtualProcess } from '../runtime/process.ts'
import type { World } from '../world/world-state.ts'

/** The longest pause before a redelivery, jitter left out. */
const longestDelayMs = 30_000

/** What timed out is handed out again at once, so many times; then the broker slows down as for a `retry`. */
const promptAttempts = 6

/** No redelivery comes later than this after the answer that asked for it. */
export const redeliveryBoundMs = 2 * longestDelayMs

/**
 * An at-least-once broker with competing consumers: visibility time-out, redelivery, attempts counted, parking.
 * It keeps everything (a broker that loses messages is another tool's subject) and hands out in order of readiness.
 * An answer that comes after its delivery timed out is ignored, as an expired receipt handle is.
 * Left out: partitions of a topic, prefetch limits, priorities.
 */
interface Entry {
  readonly message: Message
  readonly fingerprint: string
  attempts: number
  /** The delivery that is out and still counts; null while the entry waits, and once it is settled. */
  open: Delivery | null
}

export interface Delivery {
  readonly id: number
  readonly entry: Entry
  readonly process: VirtualProcess
  attempt: number
}

/** The consumers as the broker sees them. */
export interface Consumers {
  /** Processes that are connected, paused ones included: the broker cannot tell. */
  connected(): readonly VirtualProcess[]
  /** Starts handling in `process`; answers come to `Broker.answer`. */
  hand(delivery: Delivery): void
}

/** What a handler gave back. */
export type Answer = { readonly outcome: Outcome } | { readonly error: string }

export class Broker {
  readonly entries: Entry[] = []
  readonly #ready: Entry[] = []
  readonly #chance: ChoiceStream
  #deliveries = 0
  #held = false
  #unsettled = 0

  constructor(
    private readonly world: World,
    private readonly consumers: Consumers,
  ) {
    this.#chance = world.kernel.choices.stream('broker')
  }

  get restful(): boolean {
    return this.#unsettled === 0
  }

  publish(message: Message, fingerprint: string, copy: boolean): void {
    const { id: messageId, key } = message
    this.world.recorder.fact({ type: 'published', messageId, key, fingerprint, copy })
    const entry = { message, fingerprint, attempts: 0, open: null }
    this.entries.push(entry)
    this.#unsettled++
    this.#makeReady(entry)
  }

  #makeReady(entry: Entry): void {
    this.#ready.push(entry)
    this.dispatch()
  }

  /** Holds everything back; what has waited is then handed out in the reverse of its order. False if it was so before. */
  hold(on: boolean): boolean {
    if (this.#held === on) return false
    this.#held = on
    if (!on) {
      this.#ready.reverse()
      this.dispatch()
    }
    return true
  }

  /** Hands out what is ready; called whenever something became ready or a consumer came. */
  dispatch(): void {
    if (this.#held) return
    while (this.#ready.length > 0) {
      const processes = this.consumers.connected()
      if (processes.length === 0) return
      const entry = this.#ready.shift()!
      this.deliver(entry, processes[this.#chance.choose('consumer', processes.length)]!)
    }
  }

  /** Hands `entry` to `process`, even while another delivery of it is out (a rebalance does that). */
  deliver(entry: Entry, process: VirtualProcess): void {
    const { world } = this
    const delivery: Delivery = { id: ++this.#deliveries, entry, process, attempt: ++entry.attempts }
    entry.open = delivery
    const { id: messageId, key } = entry.message
    const { fingerprint, attempts } = entry
    const fact = { deliveryId: delivery.id, messageId, key, fingerprint, attempt: attempts, process: process.name }
    world.recorder.fact({ type: 'delivered', ...fact })
    world.kernel.schedule(world.plan.visibilityMs * 1000, null, () => {
      if (entry.open !== delivery) return
      world.recorder.fact({ type: 'delivery-timed-out', deliveryId: delivery.id })
      this.#again(entry, entry.attempts < promptAttempts ? 0 : this.#delayMs(entry))
    })
    this.consumers.hand(delivery)
  }

  /** The broker gives up on the delivery and hands the message out again. */
  #again(entry: Entry, delayMs: number): void {
    entry.open = null
    if (entry.attempts >= this.world.plan.maxAttempts) return this.#settle(entry, 'given-up', 'its attempts ran out')
    if (delayMs === 0) return this.#makeReady(entry)
    const jitterUs = this.#chance.choose('redelivery', 1000) * delayMs
    this.world.kernel.schedule(delayMs * 1000 + jitterUs, null, () => this.#makeReady(entry))
  }

  /**
   * Twice as long after every attempt, up to half a minute, as brokers with delayed retries are set up: fifty attempts
   * then outlast every fault that heals, so that giving up is a layer's doing and not the plan's.
   */
  #delayMs(entry: Entry): number {
    return Math.min(this.world.plan.redeliveryMs * 2 ** (entry.attempts - 1), longestDelayMs)
  }

  /** An answer arrived. */
  answer(delivery: Delivery, answer: Answer): void {
    const { entry } = delivery
    if (entry.open !== delivery) return
    if ('error' in answer || answer.outcome.status === 'retry') return this.#again(entry, this.#delayMs(entry))
    const { outcome } = answer
    if (outcome.status === 'done') this.#settle(entry, 'done')
    else if (outcome.status === 'refused') this.#settle(entry, 'refused')
    else this.#settle(entry, 'parked', outcome.reason)
  }

  #settle(entry: Entry, as: 'done' | 'refused' | 'parked' | 'given-up', reason?: string): void {
    entry.open = null
    this.#unsettled--
    const messageId = entry.message.id
    this.world.recorder.fact({ type: 'settled', messageId, as, ...(reason === undefined ? {} : { reason }) })
  }

  /** A consumer's connection closed; some brokers hand its messages out at once, others wait for the time-out. */
  disconnected(process: VirtualProcess): void {
    if (this.#chance.choose('requeue at once', 2) === 0) return
    for (const entry of this.entries) if (entry.open?.process === process) this.#again(entry, 0)
  }

  /** Hands one message that is out with a consumer to another one as well. */
  rebalance(messageIndex: number): { message: Message; from: VirtualProcess; to: VirtualProcess } | null {
    const out = this.entries.filter((entry) => entry.open !== null)
    if (out.length === 0) return null
    const entry = out[messageIndex % out.length]!
    const from = entry.open!.process
    const others = this.consumers.connected().filter((process) => process !== from)
    if (others.length === 0) return null
    const to = others[this.#chance.choose('rebalance to', others.length)]!
    this.deliver(entry, to)
    return { message: entry.message, from, to }
  }
}
