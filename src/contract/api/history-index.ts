import type { History, HistoryEvent } from './history.ts'
import { canonicalJson } from './json.ts'

/** The event of one type, with its place and time. */
export type EventOf<T extends HistoryEvent['type']> = Extract<HistoryEvent, { readonly type: T }>

/** Types of events that tell the idempotency key that they are about. */
export type KeyedType = Extract<HistoryEvent, { readonly key: string }>['type']

/** One hand-over of a message, and how its handling ended. */
export interface DeliveryRecord {
  readonly delivered: EventOf<'delivered'>
  answered?: EventOf<'answered'>
  threw?: EventOf<'threw'>
  /** The end of its process, if that came before an answer. */
  cutShort?: EventOf<'process-ended'>
  timedOut?: EventOf<'delivery-timed-out'>
  acknowledgementLost?: EventOf<'acknowledgement-lost'>
}

/** One call of `sink.perform`, and what became of it. */
export interface RequestRecord {
  readonly sent: EventOf<'effect-sent'>
  /**
   * The delivery it was sent for; inferred, where its process had several of the key
   * (`sent.deliveryId` is null then).
   */
  delivery?: DeliveryRecord
  /**
   * If it is inferred: the deliveries that may have sent it. There is only one if the answer
   * proves that.
   */
  senders?: readonly DeliveryRecord[]
  /**
   * It is proven, and so is which other request each of the other deliveries sent: none of them
   * answered with what it had read.
   */
  isEachProven?: true
  applied?: EventOf<'effect-applied'>
  refused?: EventOf<'effect-refused'>
  deduplicated?: EventOf<'effect-deduplicated'>
  answered?: EventOf<'effect-answered'>
  /** The end of its process, where that came before the caller had an answer. */
  cutShort?: EventOf<'process-ended'>
}

/**
 * Its process had other deliveries of the key: which of them sent it is inferred, and may be
 * another one.
 */
export const isInferred = ({ sent, delivery, isEachProven }: RequestRecord): boolean =>
  delivery !== undefined && sent.deliveryId === null && isEachProven !== true

/**
 * A history put in order by delivery and request: what checkers, goals and stories look things up
 * in.
 */
export interface HistoryIndex {
  readonly deliveries: ReadonlyMap<number, DeliveryRecord>
  readonly requests: ReadonlyMap<number, RequestRecord>
  /** All events of one type, in order. */
  of<T extends HistoryEvent['type']>(type: T): readonly EventOf<T>[]
  /** Those of one idempotency key, or of one message. */
  ofKey<T extends KeyedType>(type: T, key: string): readonly EventOf<T>[]
  ofMessage<T extends 'published' | 'settled'>(type: T, messageId: string): readonly EventOf<T>[]
  /**
   * The effects that nobody took back, in order: all of them, but for a `cancellable` sink. Of a
   * run that has not come to rest, some may have been about to be taken back.
   */
  readonly standing: readonly EventOf<'effect-applied'>[]
  /** Those of one idempotency key. */
  standingOf(key: string): readonly EventOf<'effect-applied'>[]
  deliveriesOf(key: string): readonly DeliveryRecord[]
  requestsOf(key: string): readonly RequestRecord[]
}

/** When the handling of a delivery was over, by an answer, a throw or the end of its process. */
export const endOfDelivery = (delivery: DeliveryRecord): HistoryEvent | undefined =>
  delivery.answered ?? delivery.threw ?? delivery.cutShort

/** Was this delivery being handled just before `event`? */
export function isOpenAt(delivery: DeliveryRecord, event: Pick<HistoryEvent, 'seq'>): boolean {
  const end = endOfDelivery(delivery)
  return delivery.delivered.seq < event.seq && (end === undefined || end.seq >= event.seq)
}

/**
 * What is open of each process is kept apart, so that reading takes as long as the history is,
 * whatever its length: a history of ten times as many messages is read in ten times the time.
 */
class Builder {
  readonly deliveries = new Map<number, DeliveryRecord>()
  readonly requests = new Map<number, RequestRecord>()
  /** By process: deliveries that it has not finished, in order, and requests without an answer. */
  readonly #unfinished = new Map<string, DeliveryRecord[]>()
  readonly #unanswered = new Map<string, Set<RequestRecord>>()
  /** Deliveries for which a request was sent. */
  readonly #busy = new Set<DeliveryRecord>()
  /** Requests whose delivery is inferred, with those that were open. */
  readonly #inferred: { readonly request: RequestRecord; readonly open: readonly DeliveryRecord[] }[] = []

  /** Events about deliveries and requests that the history never introduced are left to `of`. */
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

  /** Of those, the newest that has sent no request yet, or the newest where all have. */
  #newest(open: readonly DeliveryRecord[]): DeliveryRecord | undefined {
    return open.findLast((delivery) => !this.#busy.has(delivery)) ?? open.at(-1)
  }

  /**
   * Where one alone of those that may have sent a request answered `done` with what the sink gave,
   * that one did. What had been taken for its request is then another one's, if there is one; and
   * so it is where the one that was taken for it sent another request after this one had been
   * answered. To be called at the end.
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
      // One that was not answered may have been sent again by the same delivery.
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
   * What the sink gives in place of receipts may be the same for several effects of the key. It
   * proves nothing where another request had been given it as well, before the delivery answered.
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

/** By the receipt; by what the caller was handed in its place, once it had been handed that. */
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
  // Put in order when somebody first asks.
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
 * Only the last: values of a WeakMap live until the next full garbage collection, and there is one
 * history for each run.
 */
let last: { readonly history: History; readonly length: number; readonly reading: HistoryIndex } | null = null

/**
 * Reads a history once, however many checkers and goals ask; a history that has grown since is read
 * again.
 */
export function indexHistory(history: History): HistoryIndex {
  const { length } = history.events
  if (last?.history === history && last.length === length) return last.reading
  const reading = readWhole(history)
  last = { history, length, reading }
  return reading
}
