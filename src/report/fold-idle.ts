/**
 * Times in which nothing came of anything: messages are handed over and handed over again, commands
 * and replies are lost. Each sort of such a step is told once for each process in a stretch of
 * them, and how many more there were. A hand-over of which anything came is no such step, however
 * much later that is told: it stands where it is, and the stretch goes on.
 */
import type { History, HistoryEvent } from '../contract/api/history.ts'
import { type HistoryIndex, indexHistory, isOpenAt } from '../contract/api/history-index.ts'
import type { Violation } from '../contract/api/verdict.ts'
import { deliveryOf, ownMarkOf } from './fold-repeats.ts'
import { eventsOf, type Step } from './story-steps.ts'

/** What stands for the steps that are left out. */
export interface Idle {
  /** The event of the last step that is told before the last of them. */
  readonly afterSeq: number
  readonly steps: number
  /** When the last of them was. */
  readonly untilUs: number
}

const idle: ReadonlySet<string> = new Set([
  'delivered',
  'delivery-timed-out',
  'acknowledgement-lost',
  'request-lost',
  'reply-lost',
])

/** `fruitful`: deliveries of which something came. */
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
    // One line less in exchange for one line more is nothing gained.
    kept.push(...(left.length > 1 ? all.filter((step) => !left.includes(step)) : all))
    if (left.length > 1) {
      const { seq, atUs } = left.at(-1)!.event
      // Steps that are told may be later than all that are left out.
      const before = reported.findLast(({ event }) => event.seq < seq)!
      folded.push({ afterSeq: before.event.seq, steps: left.length, untilUs: atUs })
    }
    at += all.length
    if (at < steps.length) kept.push(steps[at++]!)
  }
  return { steps: kept, idle: folded }
}

/**
 * One for each of the steps that are told in the end: where rounds are told once, so is what was
 * idle in them.
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
 * Deliveries for which a request was sent, that were answered or threw, or during which their
 * process sent a command: by `events`, all that have to do with the violation, whether the story
 * has room for them or not.
 */
export function cameToSomething(events: readonly HistoryEvent[], history: History): ReadonlySet<number> {
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
