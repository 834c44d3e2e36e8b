/**
 * Groups events into the lines of a story. The delivery of an attempt, its command and its answer
 * form one step if no other event of its process lies in between. Events that the next line implies
 * are omitted.
 */
import type { History, HistoryEvent } from '../contract/api/history.ts'
import {
  type DeliveryRecord,
  type EventOf,
  type HistoryIndex,
  indexHistory,
  isOpenAt,
} from '../contract/api/history-index.ts'
import type { Violation } from '../contract/api/verdict.ts'
import { keysNamedIn } from '../contract/results/keys-named-in.ts'
import { lossesByEvent } from './losses-by-event.ts'
import { transactionsOf } from './transactions.ts'

export interface Step {
  /** The event whose time the line shows. */
  readonly event: HistoryEvent
  /** The delivery of the attempt that begins with the event. */
  readonly opening?: EventOf<'delivered'>
  /** The end of the attempt after the event. */
  readonly closing?: EventOf<'answered' | 'threw'>
  /** The call of the sink whose effect the event applies. */
  readonly call?: EventOf<'effect-sent'>
  /** The call of the sink that immediately followed the event. */
  readonly calls?: EventOf<'effect-sent'>
  /** The losses that the event caused; absent if there are none. */
  readonly losses?: readonly EventOf<'data-lost'>[]
}

/** All events of the line, in the order of the line. */
export function eventsOf({ opening, event, losses = [], closing, call, calls }: Step): HistoryEvent[] {
  return [opening, call, event, ...losses, closing, calls].filter((part) => part !== undefined)
}

/**
 * An answer or a call of the sink is shown on the line of the preceding reply if it follows within
 * this time, in virtual microseconds. The line shows only one time.
 */
const atOnceUs = 10_000

/** Groups `events`, which the story shows in order, into steps. */
export function stepsOf(
  events: readonly HistoryEvent[],
  history: History,
  { events: showing }: Pick<Violation, 'events'>,
): Step[] {
  const reading = indexHistory(history)
  const left = events.filter(
    (event) => (showing.includes(event.seq) && event.type !== 'published') || !isImplied(event, events, reading),
  )
  const lost = lossesByEvent(left, transactionsOf(reading))
  const joined = new Set<HistoryEvent>([...lost.values()].flat())
  const reported = left.filter((event) => !joined.has(event))
  const steps = reported.map((event, at): Step => {
    const parts = partsOf(event, at, reported, reading, showing)
    for (const part of Object.values(parts)) joined.add(part)
    const losses = lost.get(event)
    return { event, ...parts, ...(losses === undefined ? {} : { losses }) }
  })
  return steps.filter(({ event }) => !joined.has(event))
}

type Parts = Pick<Step, 'opening' | 'closing' | 'call' | 'calls'>

/**
 * The other events on the line of an event. `at`: the index of the event in `reported`. `showing`:
 * the events of the violation.
 */
function partsOf(
  event: HistoryEvent,
  at: number,
  reported: readonly HistoryEvent[],
  reading: HistoryIndex,
  showing: readonly number[],
): Parts {
  switch (event.type) {
    case 'effect-applied': {
      const call = callBefore(event, reported[at - 1], reading)
      return call === undefined ? {} : { call }
    }
    case 'effect-answered': {
      const delivery = reading.requests.get(event.requestId)?.delivery
      return delivery === undefined ? {} : endOf(delivery, event, at, reported)
    }
    case 'command': {
      const delivery = onlyOpen(event, reading)
      if (delivery === undefined) return {}
      const begins = beginningOf(delivery, event, at, reported)
      const ends = endOf(delivery, event, at, reported)
      if (ends.closing !== undefined) return { ...begins, ...ends }
      const calls = callAfter(delivery, event, reported.slice(at + 1), reading)
      return calls === undefined || showing.includes(calls.seq) ? begins : { ...begins, calls }
    }
    default:
      return {}
  }
}

function beginningOf(
  { delivered: opening }: DeliveryRecord,
  event: EventOf<'command'>,
  at: number,
  reported: readonly HistoryEvent[],
): Pick<Step, 'opening'> {
  const before = reported.slice(0, at).findLast((other) => other === opening || isOf(other, event.process))
  return before === opening && isQuiet(reported, opening, event) ? { opening } : {}
}

function endOf(
  { answered, threw }: DeliveryRecord,
  event: EventOf<'command' | 'effect-answered'>,
  at: number,
  reported: readonly HistoryEvent[],
): Pick<Step, 'closing'> {
  const closing = answered ?? threw
  const after = reported.slice(at + 1).find((other) => isOf(other, event.process))
  if (closing === undefined || closing !== after || closing.atUs - event.atUs > atOnceUs) return {}
  return isQuiet(reported, event, closing) ? { closing } : {}
}

/**
 * The attempt's call of the sink, if it follows immediately and no later line shows it together
 * with the application of its effect. The line has the command's time, so an event in between would
 * be shown in the wrong order.
 */
function callAfter(
  delivery: DeliveryRecord,
  event: EventOf<'command'>,
  [after, afterwards]: readonly HistoryEvent[],
  reading: HistoryIndex,
): Step['calls'] {
  if (after?.type !== 'effect-sent' || after.atUs - event.atUs > atOnceUs) return undefined
  const request = reading.requests.get(after.requestId)
  const isReportedLater = request?.applied !== undefined && afterwards === request.applied
  return request?.delivery === delivery && !isReportedLater ? after : undefined
}

const isOf = (event: HistoryEvent, process: string): boolean =>
  'process' in event && event.process === process && !isOfBroker(event) && !isOfStart(event)

/** True for a command that no attempt sent. */
const isOfStart = (event: HistoryEvent): boolean => event.type === 'command' && event.ofStart === true

/**
 * True for a fault by which the broker delivers a message again. Such a fault does not affect the
 * process that it names.
 */
export const isOfBroker = (event: HistoryEvent): boolean =>
  event.type === 'fault-struck' && ['redelivery', 'duplicate-delivery', 'late-copy'].includes(event.fault)

/**
 * True if between the two events, attempts of other processes only send commands or end, and
 * records only expire.
 */
function isQuiet(events: readonly HistoryEvent[], from: HistoryEvent, to: HistoryEvent): boolean {
  const between = events.slice(events.indexOf(from) + 1, events.indexOf(to))
  return between.every(
    (event) => ['delivered', 'command', 'data-lost', 'answered', 'threw'].includes(event.type) || isOfBroker(event),
  )
}

/**
 * The only delivery that can have sent the command. If the command names keys, only deliveries of
 * these keys are considered. Deliveries that wait for the sink send no commands.
 */
function onlyOpen(command: EventOf<'command'>, reading: HistoryIndex): DeliveryRecord | undefined {
  if (isOfStart(command)) return undefined
  if (command.sentFor !== undefined) return reading.deliveries.get(command.sentFor)
  const named = keysNamedIn(command.command, reading.of('published'))
  const open = [...reading.deliveries.values()].filter(
    (one) =>
      one.delivered.process === command.process &&
      (named.size === 0 || named.has(one.delivered.key)) &&
      isOpenAt(one, command) &&
      !waitsForSink(one, command, reading),
  )
  return open.length === 1 ? open[0] : undefined
}

const waitsForSink = (one: DeliveryRecord, { seq }: HistoryEvent, reading: HistoryIndex): boolean =>
  reading
    .requestsOf(one.delivered.key)
    .some(({ delivery, sent, answered }) => delivery === one && sent.seq < seq && !(answered && answered.seq < seq))

/** The call of the sink, if no shown event lies between it and the application of its effect. */
function callBefore(
  { requestId }: EventOf<'effect-applied'>,
  before: HistoryEvent | undefined,
  { requests }: HistoryIndex,
): EventOf<'effect-sent'> | undefined {
  const call = requests.get(requestId)?.sent
  return call !== undefined && call === before ? call : undefined
}

/** True if other lines of the story imply the event, so that it is omitted. */
function isImplied(event: HistoryEvent, reported: readonly HistoryEvent[], reading: HistoryIndex): boolean {
  switch (event.type) {
    case 'effect-answered':
      return event.answer === 'receipt' || isThrown(event, reported)
    case 'delivery-timed-out': {
      const late = reading.deliveries.get(event.deliveryId)?.delivered
      return reported.some(
        (one) => one.type === 'delivered' && one.seq > event.seq && one.messageId === late?.messageId,
      )
    }
    case 'settled':
      return (
        (event.as === 'done' || event.as === 'accepted') &&
        reported.some((one) => one.type === 'answered' && one.seq < event.seq)
      )
    case 'fault-healed':
      return ['crash', 'pause', 'late-copy'].includes(event.fault)
    case 'published':
      return (
        !event.copy &&
        event.producedAtOffMs === undefined &&
        isFirstOfKey(event, reading) &&
        wasHandedOver(event, reported)
      )
    default:
      return false
  }
}

/** True if the next shown event of the process is that the attempt threw the sink's error. */
function isThrown(event: EventOf<'effect-answered'>, reported: readonly HistoryEvent[]): boolean {
  const next = reported.find((one) => one.seq > event.seq && isOf(one, event.process))
  return next?.type === 'threw' && event.error !== undefined && next.error.includes(event.error)
}

const isFirstOfKey = ({ key, seq }: EventOf<'published'>, reading: HistoryIndex): boolean =>
  !reading.ofKey('published', key).some((other) => other.seq < seq)

const wasHandedOver = ({ messageId }: EventOf<'published'>, reported: readonly HistoryEvent[]): boolean =>
  reported.some((one) => one.type === 'delivered' && one.messageId === messageId)
