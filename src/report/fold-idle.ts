/**
 * Folds idle periods in which nothing succeeds: messages are delivered again and again, and
 * commands and replies are lost. In each such period, one step of each kind is shown for each
 * process, with the number of the omitted steps. A delivery that had any result is always shown,
 * even if its result is shown much later. Such a delivery does not end the period.
 */
import type { History, HistoryEvent } from '../contract/api/history.ts'
import { type HistoryIndex, indexHistory, isOpenAt } from '../contract/api/history-index.ts'
import type { Violation } from '../contract/api/verdict.ts'
import { deliveryOf, ownMarkOf } from './fold-repeats.ts'
import { eventsOf, type Step } from './story-steps.ts'

/** Counts the omitted steps of a period. */
export interface Idle {
  /** The event of the last shown step before the last omitted step. */
  readonly afterSeq: number
  readonly steps: number
  /** The time of the last omitted step. */
  readonly untilUs: number
}

const idle: ReadonlySet<string> = new Set([
  'delivered',
  'delivery-timed-out',
  'acknowledgement-lost',
  'request-lost',
  'reply-lost',
])

/** Folds the idle periods. `fruitful`: ids of deliveries that had a result. */
export function foldIdle(
  steps: readonly Step[],
  history: History,
  { events: showing }: Pick<Violation, 'events'>,
  fruitful: ReadonlySet<number>,
): { readonly steps: readonly Step[]; readonly idle: readonly Idle[] } {
  const reading = indexHistory(history)
  const isIdle = (step: Step): boolean =>
    idle.has(step.event.type) &&
    eventsOf(step).length === 1 &&
    !showing.includes(step.event.seq) &&
    !(step.event.type === 'delivered' && fruitful.has(step.event.deliveryId))
  const markOf = ({ event }: Step) => ownMarkOf(event, reading)
  const goesOn = (step: Step): boolean =>
    isIdle(step) || (step.event.type === 'delivered' && eventsOf(step).length === 1)
  const kept: Step[] = []
  const folded: Idle[] = []
  for (let at = 0; at < steps.length; ) {
    const end = steps.findIndex((step, index) => index >= at && !goesOn(step))
    const all = steps.slice(at, end === -1 ? steps.length : end)
    const stretch = all.filter(isIdle)
    const reported = stretch.filter(
      (step, index) => index === stretch.findIndex((other) => markOf(other) === markOf(step)),
    )
    const left = stretch.filter((step) => !reported.includes(step))
    // The count takes one line, so it must replace at least two lines.
    kept.push(...(left.length > 1 ? all.filter((step) => !left.includes(step)) : all))
    if (left.length > 1) {
      const { seq, atUs } = left.at(-1)!.event
      // Some shown steps may be later than all omitted ones.
      const before = reported.findLast(({ event }) => event.seq < seq)!
      folded.push({ afterSeq: before.event.seq, steps: left.length, untilUs: atUs })
    }
    at += all.length
    if (at < steps.length) kept.push(steps[at++]!)
  }
  return { steps: kept, idle: folded }
}

/**
 * Merges counts so that each follows a step that is still shown after rounds were folded. Idle
 * steps of folded rounds are folded with them.
 */
export function idleBehind(steps: readonly Step[], idle: readonly Idle[]): Idle[] {
  const behind = new Map<Step | undefined, Idle>()
  for (const one of idle) {
    const step = steps.findLast(({ event }) => event.seq <= one.afterSeq)
    const before = behind.get(step)
    behind.set(step, before === undefined ? one : { ...one, steps: before.steps + one.steps })
  }
  return [...behind.values()]
}

/**
 * Ids of the deliveries that had a result: a request was sent for them, they were answered or
 * threw, or their process sent a command during them. `events`: all events that concern the
 * violation, whether or not the story has room for them.
 */
export function deliveriesWithResult(events: readonly HistoryEvent[], history: History): ReadonlySet<number> {
  const reading = indexHistory(history)
  return new Set(events.flatMap((event) => deliveriesOf(event, reading)))
}

function deliveriesOf(event: HistoryEvent, reading: HistoryIndex): number[] {
  if (event.type === 'answered' || event.type === 'threw') return [event.deliveryId]
  if ('requestId' in event) {
    const delivery = deliveryOf(event, reading)
    return delivery === undefined ? [] : [delivery.delivered.deliveryId]
  }
  if (event.type !== 'command' || event.ofStart) return []
  return [...reading.deliveries.values()]
    .filter((one) => one.delivered.process === event.process && isOpenAt(one, event))
    .map(({ delivered }) => delivered.deliveryId)
}
