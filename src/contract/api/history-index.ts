import type { History, HistoryEvent } from './history.ts'
import { canonicalJson } from './json.ts'

/**
 * The event of one type, with the members of that type.
 * @example
 * ```ts
 * import type { EventOf } from 'onceproof'
 *
 * const keyOf = ({ key }: EventOf<'effect-applied'>): string => key
 * ```
 */
export type EventOf<T extends HistoryEvent['type']> = Extract<HistoryEvent, { readonly type: T }>

/** Types of events that have a member `key`, the idempotency key. */
export type KeyedType = Extract<HistoryEvent, { readonly key: string }>['type']

/**
 * One delivery of a message to a consumer, and how its handling ended.
 * @example
 * ```ts
 * import type { DeliveryRecord } from 'onceproof'
 *
 * const diedWith = ({ cutShort }: DeliveryRecord): boolean => cutShort !== undefined
 * ```
 */
export interface DeliveryRecord {
  readonly delivered: EventOf<'delivered'>
  answered?: EventOf<'answered'>
  threw?: EventOf<'threw'>
  /** The end of its process, if the process ended before it answered. */
  cutShort?: EventOf<'process-ended'>
  timedOut?: EventOf<'delivery-timed-out'>
  acknowledgementLost?: EventOf<'acknowledgement-lost'>
}

/**
 * One call of `sink.perform` and its results.
 * @example
 * ```ts
 * import type { RequestRecord } from 'onceproof'
 *
 * const isInDoubt = ({ answered, applied }: RequestRecord): boolean =>
 *   !answered && applied !== undefined
 * ```
 */
export interface RequestRecord {
  readonly sent: EventOf<'effect-sent'>
  /**
   * The delivery for which the request was sent. It is inferred if the process was handling several
   * deliveries of the key (`sent.deliveryId` is null then).
   */
  delivery?: DeliveryRecord
  /**
   * If `delivery` is inferred: the deliveries that may have sent the request. There is only one if
   * a delivery's answer proves that it sent the request.
   */
  senders?: readonly DeliveryRecord[]
  /**
   * `delivery` is proven, and each other delivery that may have sent this request is proven to have
   * sent another one. So none of them answered with a result that it had only read.
   */
  isEachProven?: true
  applied?: EventOf<'effect-applied'>
  refused?: EventOf<'effect-refused'>
  deduplicated?: EventOf<'effect-deduplicated'>
  answered?: EventOf<'effect-answered'>
  /** The end of its process, if the process ended before the caller had an answer. */
  cutShort?: EventOf<'process-ended'>
}

/**
 * True if the delivery of the request is inferred, and may be wrong, because its process was
 * handling other deliveries of the key.
 */
export const isInferred = ({ sent, delivery, isEachProven }: RequestRecord): boolean =>
  delivery !== undefined && sent.deliveryId === null && isEachProven !== true

/**
 * A history indexed by delivery and request, for checkers, goals and stories.
 * @example
 * ```ts
 * import type { HistoryIndex } from 'onceproof'
 *
 * const effectsOf = (index: HistoryIndex, key: string): number => index.standingOf(key).length
 * ```
 */
export interface HistoryIndex {
  readonly deliveries: ReadonlyMap<number, DeliveryRecord>
  readonly requests: ReadonlyMap<number, RequestRecord>
  /** All events of one type, in order. */
  of<T extends HistoryEvent['type']>(type: T): readonly EventOf<T>[]
  /** Events of one idempotency key, or of one message. */
  ofKey<T extends KeyedType>(type: T, key: string): readonly EventOf<T>[]
  ofMessage<T extends 'published' | 'settled'>(type: T, messageId: string): readonly EventOf<T>[]
  /**
   * The effects that were not cancelled, in order. Only a `cancellable` sink cancels effects. If
   * the run did not come to rest, the layer may have been about to cancel some of these.
   */
  readonly standing: readonly EventOf<'effect-applied'>[]
  /** The effects of one idempotency key that were not cancelled. */
  standingOf(key: string): readonly EventOf<'effect-applied'>[]
  deliveriesOf(key: string): readonly DeliveryRecord[]
  requestsOf(key: string): readonly RequestRecord[]
}

/**
 * The event that ended the handling of a delivery: an answer, a throw or the end of its process.
 */
export const endOfDelivery = (delivery: DeliveryRecord): HistoryEvent | undefined =>
  delivery.answered ?? delivery.threw ?? delivery.cutShort

/** True if this delivery was being handled just before `event`. */
export function isOpenAt(delivery: DeliveryRecord, event: Pick<HistoryEvent, 'seq'>): boolean {
  const end = endOfDelivery(delivery)
  return delivery.delivered.seq < event.seq && (end === undefined || end.seq >= event.seq)
}

/**
 * Open deliveries and requests are kept for each process, so that the time for reading is linear in
 * the length of the history.
 */
class Builder {
  readonly deliveries = new Map<number, DeliveryRecord>()
  readonly requests = new Map<number, RequestRecord>()
  /** By process: its unfinished deliveries, in order, and its requests without an answer. */
  readonly #unfinished = new Map<string, DeliveryRecord[]>()
  readonly #unanswered = new Map<string, Set<RequestRecord>>()
  /** Deliveries for which a request was sent. */
  readonly #busy = new Set<DeliveryRecord>()
  /**
   * Requests whose delivery is inferred, with the deliveries that were open when they were sent.
   */
  readonly #inferred: { readonly request: RequestRecord; readonly open: readonly DeliveryRecord[] }[] = []

  /**
   * Adds one event. An event about a delivery or request without an earlier `delivered` or
   * `effect-sent` event belongs to no record; only `of` returns it.
   */
  enter(event: HistoryEvent): void {
    const delivery = 'deliveryId' in event ? this.deliveries.get(event.deliveryId ?? -1) : undefined
    const request = 'requestId' in event ? this.requests.get(event.requestId) : undefined
    if (event.type === 'delivered') this.#delivered(event)
    else if (event.type === 'answered' && delivery) this.#finished(delivery).answered = event
    else if (event.type === 'threw' && delivery) this.#finished(delivery).threw = event
    else if (event.type === 'delivery-timed-out') delivery && (delivery.timedOut = event)
    else if (event.type === 'acknowledgement-lost') delivery && (delivery.acknowledgementLost = event)
    else if (event.type === 'effect-sent') this.#sent(event)
    else if (event.type === 'effect-applied') request && (request.applied ??= event)
    else if (event.type === 'effect-refused') request && (request.refused = event)
    else if (event.type === 'effect-deduplicated') request && (request.deduplicated = event)
    else if (event.type === 'effect-answered' && request) {
      this.#unanswered.get(request.sent.process)?.delete(request)
      request.answered = event
    } else if (event.type === 'process-ended') this.#cutShort(event)
  }

  #delivered(event: EventOf<'delivered'>): void {
    const delivery = { delivered: event }
    this.deliveries.set(event.deliveryId, delivery)
    const open = this.#unfinished.get(event.process)
    if (open === undefined) this.#unfinished.set(event.process, [delivery])
    else open.push(delivery)
  }

  #finished(delivery: DeliveryRecord): DeliveryRecord {
    const open = this.#unfinished.get(delivery.delivered.process)
    const at = open?.indexOf(delivery) ?? -1
    if (at !== -1) open!.splice(at, 1)
    return delivery
  }

  #sent(event: EventOf<'effect-sent'>): void {
    const known = event.deliveryId === null ? undefined : this.deliveries.get(event.deliveryId)
    const open = event.deliveryId === null ? this.#openOf(event) : []
    const delivery = known ?? this.#newest(open)
    const request: RequestRecord = delivery ? { sent: event, delivery } : { sent: event }
    if (open.length > 0) this.#inferred.push({ request, open })
    if (delivery) this.#busy.add(delivery)
    this.requests.set(event.requestId, request)
    const unanswered = this.#unanswered.get(event.process)
    if (unanswered === undefined) this.#unanswered.set(event.process, new Set([request]))
    else unanswered.add(request)
  }

  #openOf({ process, key }: EventOf<'effect-sent'>): DeliveryRecord[] {
    return (this.#unfinished.get(process) ?? []).filter(({ delivered }) => delivered.key === key)
  }

  /**
   * The newest delivery that has not sent a request yet; the newest delivery if each has sent one.
   */
  #newest(open: readonly DeliveryRecord[]): DeliveryRecord | undefined {
    return open.findLast((delivery) => !this.#busy.has(delivery)) ?? open.at(-1)
  }

  /**
   * Assigns inferred requests to deliveries; to be called at the end. If exactly one candidate
   * answered `done` with the result that the sink returned for a request, that delivery sent the
   * request. If another request was already assigned to this delivery, that request goes to another
   * candidate, if there is one. The same happens if the assigned delivery sent another request
   * after this one was answered.
   */
  infer(): void {
    if (this.#inferred.length === 0) return
    const proven = this.#proven()
    const taken = new Set(proven.values())
    const senders = new Set(taken)
    const lastSent = new Map<DeliveryRecord, number>()
    for (const { sent, delivery } of this.requests.values())
      if (sent.deliveryId !== null && delivery !== undefined) lastSent.set(delivery, sent.seq)
    for (const { request, open } of this.#inferred) {
      const { answered } = request
      // If the request was not answered, the same delivery may have sent it again.
      const heardSeq = answered?.answer === 'receipt' ? answered.seq : Number.POSITIVE_INFINITY
      const isBusy = (one: DeliveryRecord) => taken.has(one) || (lastSent.get(one) ?? 0) > heardSeq
      const sender = proven.get(request)
      const left = isBusy(request.delivery!) ? open.findLast((one) => !isBusy(one)) : undefined
      request.senders = sender === undefined ? open : [sender]
      if (sender !== undefined && open.every((one) => senders.has(one))) request.isEachProven = true
      request.delivery = sender ?? left ?? request.delivery!
      taken.add(request.delivery)
    }
  }

  /**
   * Maps requests to the deliveries that are proven to have sent them. A result that the sink
   * returns instead of a receipt may be equal for several effects of the key. Such a result proves
   * nothing if another request got the same result before the delivery answered.
   */
  #proven(): Map<RequestRecord, DeliveryRecord> {
    const proven = new Map<RequestRecord, DeliveryRecord>()
    const requestsByKey = group(this.requests.values(), ({ sent }) => sent.key)
    for (const { request, open } of this.#inferred) {
      const [reported, ...others] = open.filter((one) => answersWith(one, request))
      if (reported === undefined || others.length > 0) continue
      const given = requestsByKey.get(request.sent.key)!.filter((one) => answersWith(reported, one))
      if (given.length === 1) proven.set(request, reported)
    }
    return proven
  }

  #cutShort(ended: EventOf<'process-ended'>): void {
    for (const delivery of this.#unfinished.get(ended.process) ?? []) delivery.cutShort = ended
    for (const request of this.#unanswered.get(ended.process) ?? []) request.cutShort ??= ended
    this.#unfinished.delete(ended.process)
    this.#unanswered.delete(ended.process)
  }
}

/**
 * True if the delivery answered `done` with the receipt of the request's effect, or with the result
 * that the caller got instead of the receipt before the delivery answered.
 */
function answersWith({ answered }: DeliveryRecord, { applied, answered: heard }: RequestRecord): boolean {
  const outcome = answered?.outcome
  if (applied === undefined || outcome?.status !== 'done') return false
  const { receipt, gives } = applied
  if (gives !== undefined)
    return (
      heard?.answer === 'receipt' &&
      heard.seq < answered!.seq &&
      canonicalJson(outcome.result ?? null) === canonicalJson(gives.value ?? null)
    )
  if (typeof outcome.result !== 'object' || outcome.result === null) return false
  return 'effectId' in outcome.result && outcome.result.effectId === receipt.effectId
}

function group<T, K>(all: Iterable<T>, nameOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const one of all) {
    const name = nameOf(one)
    const alike = groups.get(name)
    if (alike) alike.push(one)
    else groups.set(name, [one])
  }
  return groups
}

function readWhole({ events }: History): HistoryIndex {
  const built = new Builder()
  for (const event of events) built.enter(event)
  built.infer()
  const { deliveries, requests } = built
  const byType = group(events, ({ type }) => type)
  const of = <T extends HistoryEvent['type']>(type: T) => (byType.get(type) ?? []) as EventOf<T>[]
  // The groups are built on first use.
  const grouped = new Map<string, Map<string, HistoryEvent[]>>()
  const lookUp = (type: HistoryEvent['type'], by: 'key' | 'messageId', name: string) => {
    const index = `${type} ${by}`
    let groups = grouped.get(index)
    if (!groups)
      grouped.set(index, (groups = group(of(type), (event) => (event as unknown as Record<string, string>)[by]!)))
    return groups.get(name) ?? []
  }
  const cancelled = new Set(of('effect-cancelled').flatMap(({ effects }) => effects))
  const stands = ({ receipt }: EventOf<'effect-applied'>) => !cancelled.has(receipt.effectId)
  const standing = cancelled.size === 0 ? of('effect-applied') : of('effect-applied').filter(stands)
  let deliveriesByKey: Map<string, DeliveryRecord[]> | null = null
  let requestsByKey: Map<string, RequestRecord[]> | null = null
  return {
    deliveries,
    requests,
    of,
    ofKey: <T extends KeyedType>(type: T, key: string) => lookUp(type, 'key', key) as EventOf<T>[],
    ofMessage: <T extends 'published' | 'settled'>(type: T, id: string) =>
      lookUp(type, 'messageId', id) as EventOf<T>[],
    standing,
    standingOf(key) {
      const applied = lookUp('effect-applied', 'key', key) as EventOf<'effect-applied'>[]
      return cancelled.size === 0 ? applied : applied.filter(stands)
    },
    deliveriesOf(key) {
      deliveriesByKey ??= group(deliveries.values(), ({ delivered }) => delivered.key)
      return deliveriesByKey.get(key) ?? []
    },
    requestsOf(key) {
      requestsByKey ??= group(requests.values(), ({ sent }) => sent.key)
      return requestsByKey.get(key) ?? []
    },
  }
}

/**
 * The index of the last history. A WeakMap would keep the indexes of earlier runs until the next
 * full garbage collection.
 */
let last: { readonly history: History; readonly length: number; readonly reading: HistoryIndex } | null = null

/** Reads a history once for all checkers and goals; reads it again if it has grown since. */
export function indexHistory(history: History): HistoryIndex {
  const { length } = history.events
  if (last?.history === history && last.length === length) return last.reading
  const reading = readWhole(history)
  last = { history, length, reading }
  return reading
}
