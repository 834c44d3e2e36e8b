import type { History, HistoryEvent } from './history.ts'

/** The event of one type, with its place and time. */
export type EventOf<T extends HistoryEvent['type']> = Extract<HistoryEvent, { readonly type: T }>

/** One hand-over of a message, and how its handling ended. */
export interface DeliveryRecord {
  readonly delivered: EventOf<'delivered'>
  answered?: EventOf<'answered'>
  threw?: EventOf<'threw'>
  /** The end of its process, where that came before an answer. */
  cutShort?: EventOf<'process-ended'>
  timedOut?: EventOf<'delivery-timed-out'>
  acknowledgementLost?: EventOf<'acknowledgement-lost'>
}

/** One call of `sink.perform`, and what became of it. */
export interface RequestRecord {
  readonly sent: EventOf<'effect-sent'>
  /** The delivery it was sent for, where that can be told. */
  readonly delivery?: DeliveryRecord
  applied?: EventOf<'effect-applied'>
  refused?: EventOf<'effect-refused'>
  deduplicated?: EventOf<'effect-deduplicated'>
  answered?: EventOf<'effect-answered'>
  /** The end of its process, where that came before the caller had an answer. */
  cutShort?: EventOf<'process-ended'>
}

/** A history put in order by delivery and request: what checkers, goals and stories look things up in. */
export interface Reading {
  readonly deliveries: ReadonlyMap<number, DeliveryRecord>
  readonly requests: ReadonlyMap<number, RequestRecord>
  /** All events of one type, in order. */
  of<T extends HistoryEvent['type']>(type: T): readonly EventOf<T>[]
}

/** When the handling of a delivery was over, by an answer, a throw or the end of its process. */
export const endOfDelivery = (delivery: DeliveryRecord): HistoryEvent | undefined =>
  delivery.answered ?? delivery.threw ?? delivery.cutShort

/** Was this delivery being handled just before `event`? */
export function isOpenAt(delivery: DeliveryRecord, event: HistoryEvent): boolean {
  const end = endOfDelivery(delivery)
  return delivery.delivered.seq < event.seq && (end === undefined || end.seq >= event.seq)
}

interface Builder {
  deliveries: Map<number, DeliveryRecord>
  requests: Map<number, RequestRecord>
  byType: Map<string, HistoryEvent[]>
}

/**
 * Where the process was handling several deliveries of the key: the newest of them that has sent no request yet, or the
 * newest where all have.
 */
function openDelivery(read: Builder, sent: EventOf<'effect-sent'>): DeliveryRecord | undefined {
  if (sent.deliveryId !== null) return read.deliveries.get(sent.deliveryId)
  const open = [...read.deliveries.values()].filter(
    (delivery) =>
      delivery.delivered.process === sent.process &&
      delivery.delivered.key === sent.key &&
      endOfDelivery(delivery) === undefined,
  )
  const busy = new Set([...read.requests.values()].map(({ delivery }) => delivery))
  return open.findLast((delivery) => !busy.has(delivery)) ?? open.at(-1)
}

function cutShort(read: Builder, ended: EventOf<'process-ended'>): void {
  for (const delivery of read.deliveries.values())
    if (delivery.delivered.process === ended.process && endOfDelivery(delivery) === undefined) delivery.cutShort = ended
  for (const request of read.requests.values())
    if (request.sent.process === ended.process && request.answered === undefined) request.cutShort ??= ended
}

/** Events about deliveries and requests that the history never introduced are left to `of`. */
function enter(read: Builder, event: HistoryEvent): void {
  const delivery = 'deliveryId' in event ? read.deliveries.get(event.deliveryId ?? -1) : undefined
  const request = 'requestId' in event ? read.requests.get(event.requestId) : undefined
  if (event.type === 'delivered') read.deliveries.set(event.deliveryId, { delivered: event })
  else if (event.type === 'answered') delivery && (delivery.answered = event)
  else if (event.type === 'threw') delivery && (delivery.threw = event)
  else if (event.type === 'delivery-timed-out') delivery && (delivery.timedOut = event)
  else if (event.type === 'acknowledgement-lost') delivery && (delivery.acknowledgementLost = event)
  else if (event.type === 'effect-sent') {
    const sentFor = openDelivery(read, event)
    read.requests.set(event.requestId, sentFor ? { sent: event, delivery: sentFor } : { sent: event })
  } else if (event.type === 'effect-applied') request && (request.applied ??= event)
  else if (event.type === 'effect-refused') request && (request.refused = event)
  else if (event.type === 'effect-deduplicated') request && (request.deduplicated = event)
  else if (event.type === 'effect-answered') request && (request.answered = event)
  else if (event.type === 'process-ended') cutShort(read, event)
}

function readAnew({ events }: History): Reading {
  const read: Builder = { deliveries: new Map(), requests: new Map(), byType: new Map() }
  for (const event of events) {
    const alike = read.byType.get(event.type)
    if (alike) alike.push(event)
    else read.byType.set(event.type, [event])
    enter(read, event)
  }
  return {
    deliveries: read.deliveries,
    requests: read.requests,
    of: <T extends HistoryEvent['type']>(type: T) => (read.byType.get(type) ?? []) as EventOf<T>[],
  }
}

/** Only the last: values of a WeakMap live until the next full garbage collection, and there is one history for each run. */
let last: { readonly history: History; readonly length: number; readonly reading: Reading } | null = null

/** Reads a history once, however many checkers and goals ask; a history that has grown since is read again. */
export function readHistory(history: History): Reading {
  const { length } = history.events
  if (last?.history === history && last.length === length) return last.reading
  const reading = readAnew(history)
  last = { history, length, reading }
  return reading
}
