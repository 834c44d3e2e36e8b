/**
 * What a story tells in one line. An attempt is handed over, asks, and answers: where nothing else of its process lies between,
 * that is one step. What the next line says as well is left out.
 */
import type { History, HistoryEvent } from '../contract/history.ts'
import {
  type DeliveryRecord,
  type EventOf,
  type HistoryIndex,
  indexHistory,
  isOpenAt,
} from '../contract/history-index.ts'
import { keysNamedIn } from '../contract/keys-named-in.ts'
import type { Violation } from '../contract/verdict.ts'

export interface Step {
  /** What its time is of. */
  readonly event: HistoryEvent
  /** The hand-over of the attempt that begins with the event. */
  readonly opening?: EventOf<'delivered'>
  /** How the attempt ended after the event. */
  readonly closing?: EventOf<'answered' | 'threw'>
  /** The call that this is the application of. */
  readonly call?: EventOf<'effect-sent'>
}

/** `events`: those that are worth telling, in order. */
export function stepsOf(
  events: readonly HistoryEvent[],
  history: History,
  { events: showing }: Pick<Violation, 'events'>,
): Step[] {
  const reading = indexHistory(history)
  const left = events.filter(
    (event) => (showing.includes(event.seq) && event.type !== 'published') || !isImplied(event, events, reading),
  )
  const joined = new Set<HistoryEvent>()
  const steps = left.map((event, at): Step => {
    if (event.type === 'effect-applied') {
      const call = callBefore(event, left[at - 1], reading)
      if (call === undefined) return { event }
      joined.add(call)
      return { event, call }
    }
    if (event.type !== 'command') return { event }
    const delivery = onlyOpen(event, reading)
    if (delivery === undefined) return { event }
    const opening = delivery.delivered
    const closing = delivery.answered ?? delivery.threw
    const own = (other: HistoryEvent) => other === opening || isOf(other, event.process)
    const begins = opening === left.slice(0, at).findLast(own) && isQuiet(left, opening, event)
    const ends = closing !== undefined && closing === left.slice(at + 1).find(own) && isQuiet(left, event, closing)
    const parts = {
      ...(begins ? { opening } : {}),
      ...(ends ? { closing } : {}),
    }
    for (const part of Object.values(parts)) joined.add(part)
    return { event, ...parts }
  })
  return steps.filter(({ event }) => !joined.has(event))
}

const isOf = (event: HistoryEvent, process: string): boolean => 'process' in event && event.process === process

/** Between these two, is there nothing but attempts of other processes that ask, and records that expire? */
function isQuiet(events: readonly HistoryEvent[], from: HistoryEvent, to: HistoryEvent): boolean {
  const between = events.slice(events.indexOf(from) + 1, events.indexOf(to))
  return between.every(({ type }) => ['delivered', 'command', 'data-lost', 'answered', 'threw'].includes(type))
}

/** The one delivery that the command can have been sent for: among those of the key that it names, where it names one. */
function onlyOpen(command: EventOf<'command'>, reading: HistoryIndex): DeliveryRecord | undefined {
  const named = keysNamedIn(command.command, reading.of('published'))
  const open = [...reading.deliveries.values()].filter(
    (one) =>
      one.delivered.process === command.process &&
      (named.size === 0 || named.has(one.delivered.key)) &&
      isOpenAt(one, command),
  )
  return open.length === 1 ? open[0] : undefined
}

/** The call, where nothing that is told came between it and its application. */
function callBefore(
  { requestId }: EventOf<'effect-applied'>,
  before: HistoryEvent | undefined,
  { requests }: HistoryIndex,
): EventOf<'effect-sent'> | undefined {
  const call = requests.get(requestId)?.sent
  return call !== undefined && call === before ? call : undefined
}

/** Do other lines of the story say as much? */
function isImplied(event: HistoryEvent, told: readonly HistoryEvent[], reading: HistoryIndex): boolean {
  switch (event.type) {
    case 'effect-answered':
      return event.answer === 'receipt' || isThrown(event, told)
    case 'delivery-timed-out': {
      const late = reading.deliveries.get(event.deliveryId)?.delivered
      return told.some((one) => one.type === 'delivered' && one.seq > event.seq && one.messageId === late?.messageId)
    }
    case 'settled':
      return event.as === 'done' && told.some((one) => one.type === 'answered' && one.seq < event.seq)
    case 'fault-healed':
      return ['crash', 'pause', 'late-copy'].includes(event.fault)
    case 'published':
      return !event.copy && event.stampOffMs === undefined && isFirstOfKey(event, reading) && wasHandedOver(event, told)
    default:
      return false
  }
}

/** Was the sink's error what the attempt ended with, as the next that is told of it? */
function isThrown(event: EventOf<'effect-answered'>, told: readonly HistoryEvent[]): boolean {
  const next = told.find((one) => one.seq > event.seq && isOf(one, event.process))
  return next?.type === 'threw' && event.error !== undefined && next.error.includes(event.error)
}

const isFirstOfKey = ({ key, seq }: EventOf<'published'>, reading: HistoryIndex): boolean =>
  !reading.ofKey('published', key).some((other) => other.seq < seq)

const wasHandedOver = ({ messageId }: EventOf<'published'>, told: readonly HistoryEvent[]): boolean =>
  told.some((one) => one.type === 'delivered' && one.messageId === messageId)
