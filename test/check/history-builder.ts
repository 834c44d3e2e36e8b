/**
 * Handwritten histories that read like a story: `aRun().at(0).publish('m1').deliver(1, 'm1',
 * 'consumer-1').at(5).send(1, 1).apply(1).rest()`. Numbers name deliveries and requests. The
 * default key is `k1`.
 */
import type { Fact, History, HistoryEvent, RunHeader, Trace } from '../../src/contract/api/history.ts'
import type { JsonValue } from '../../src/contract/api/json.ts'
import type { Outcome } from '../../src/contract/api/message.ts'
import type { Receipt } from '../../src/contract/api/sink.ts'
import { faults } from '../../src/run/faults/index.ts'
import { delaysOf } from '../../src/run/header.ts'

const header: RunHeader = {
  scenario: 'by-hand',
  implementation: 'by-hand',
  sink: 'plain',
  leaseMs: 100,
  retentionMs: 10_000,
  visibilityMs: 1000,
  redeliveryMs: 50,
  recoveryBoundMs: 500,
  recoveryBoundFrom: 'scenario',
  recoveryCapMs: 500,
  lacks: [],
  leavesNoDoubtOn: [],
  faultFree: false,
  delays: delaysOf([...faults.keys()]),
}

interface Named {
  readonly key: string
  readonly fingerprint: string
}

export class HistoryBuilder implements History {
  readonly header: RunHeader
  readonly events: HistoryEvent[] = []
  #atUs = 0
  readonly #messages = new Map<string, Named>()
  readonly #deliveries = new Map<number, { readonly process: string } & Named>()
  readonly #requests = new Map<number, { readonly process: string } & Named>()

  constructor(changes: Partial<RunHeader>) {
    this.header = { ...header, ...(changes as RunHeader) }
  }

  /** Sets the time of the following events. */
  at(ms: number): this {
    this.#atUs = ms * 1000
    return this
  }

  add(event: Fact | Trace): this {
    this.events.push({ ...event, seq: this.events.length, atUs: this.#atUs })
    return this
  }

  publish(messageId: string, { key = 'k1', fingerprint = 'pay 1', copy = false, producedAtOffMs = 0 } = {}): this {
    this.#messages.set(messageId, { key, fingerprint })
    const producedOff = producedAtOffMs === 0 ? {} : { producedAtOffMs }
    return this.add({ type: 'published', messageId, key, fingerprint, copy, ...producedOff })
  }

  deliver(deliveryId: number, messageId: string, process: string, attempt = 1): this {
    const message = this.#messages.get(messageId)!
    this.#deliveries.set(deliveryId, { process, ...message })
    return this.add({ type: 'delivered', deliveryId, messageId, ...message, attempt, process })
  }

  answer(deliveryId: number, outcome: Outcome): this {
    return this.add({ type: 'answered', deliveryId, process: this.#deliveries.get(deliveryId)!.process, outcome })
  }

  /** Answers `done` with the receipt of that request’s effect, or with another result. */
  done(deliveryId: number, result: JsonValue = { effectId: 'effect-1', key: 'k1' }): this {
    return this.answer(deliveryId, { status: 'done', result })
  }

  throw(deliveryId: number, error = 'TypeError: no'): this {
    return this.add({ type: 'threw', deliveryId, process: this.#deliveries.get(deliveryId)!.process, error })
  }

  settle(messageId: string, as: Extract<Fact, { type: 'settled' }>['as'], reason?: string): this {
    return this.add({ type: 'settled', messageId, as, ...(reason === undefined ? {} : { reason }) })
  }

  /**
   * The handler of that delivery calls the sink. `unknownDelivery`: the world could not determine
   * the delivery.
   */
  send(requestId: number, deliveryId: number, { unknownDelivery = false, fingerprint = '' } = {}): this {
    const from = this.#deliveries.get(deliveryId)!
    const what = { process: from.process, key: from.key, fingerprint: fingerprint || from.fingerprint }
    this.#requests.set(requestId, what)
    return this.add({ type: 'effect-sent', requestId, deliveryId: unknownDelivery ? null : deliveryId, ...what })
  }

  apply(requestId: number): this {
    const what = this.#requests.get(requestId)!
    const receipt: Receipt = { effectId: `effect-${requestId}`, key: what.key }
    return this.add({ type: 'effect-applied', requestId, ...what, receipt })
  }

  refuse(requestId: number, reason: 'refused' | 'fence' | 'cancelled' = 'refused'): this {
    return this.add({ type: 'effect-refused', requestId, key: this.#requests.get(requestId)!.key, reason })
  }

  /** Cancels the effects of these requests by one request of that process. */
  cancel(process: string, ...requestIds: readonly number[]): this {
    const { key } = this.#requests.get(requestIds[0]!)!
    const effects = requestIds.map((id) => `effect-${id}`)
    return this.add({ type: 'effect-cancelled', process, key, reference: 'by-hand', effects })
  }

  notifyCaller(requestId: number, answer: 'receipt' | 'refused' | 'error'): this {
    const { process } = this.#requests.get(requestId)!
    return this.add({ type: 'effect-answered', requestId, process, answer })
  }

  crash(process: string): this {
    return this.add({ type: 'process-ended', process, how: 'crashed' })
  }

  pause(process: string): this {
    return this.add({ type: 'process-paused', process })
  }

  resume(process: string): this {
    return this.add({ type: 'process-resumed', process })
  }

  strike(fault: string, sentence = `${fault} strikes`, process?: string): this {
    return this.add({ type: 'fault-struck', fault, index: 0, sentence, ...(process === undefined ? {} : { process }) })
  }

  heal(fault: string, sentence = `${fault} heals`): this {
    return this.add({ type: 'fault-healed', fault, index: 0, sentence })
  }

  loseData(
    cause: 'restart' | 'flush' | 'eviction' | 'failover' | 'split-brain' | 'expiry',
    redisKeys?: readonly string[],
    effects?: readonly string[],
  ): this {
    const known = { ...(redisKeys === undefined ? {} : { redisKeys }), ...(effects === undefined ? {} : { effects }) }
    return this.add({ type: 'data-lost', node: 'redis', cause, ...known })
  }

  /** The world comes to rest. */
  rest(): this {
    return this.add({ type: 'ended', complete: true })
  }

  /** The run ends without rest. */
  breakOff(why = 'the event budget ran out'): this {
    return this.add({ type: 'ended', complete: false, why })
  }
}

export const aRun = (changes: Partial<RunHeader> = {}): HistoryBuilder => new HistoryBuilder(changes)
