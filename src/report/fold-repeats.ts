/**
 * Folds rounds: sequences of the same delivery, command, reply and answer that repeat. The first
 * round is shown, with the number of repetitions. A round with any difference, above all a reply or
 * a process, is shown separately.
 */
import type { History, HistoryEvent } from '../contract/api/history.ts'
import { type DeliveryRecord, type HistoryIndex, indexHistory } from '../contract/api/history-index.ts'
import { canonicalJson } from '../contract/api/json.ts'
import type { Violation } from '../contract/api/verdict.ts'
import { eventsOf, type Step } from './story-steps.ts'

/** Counts the rounds after the first one. */
export interface Folded {
  /** The last event of the first round. */
  readonly afterSeq: number
  readonly times: number
  /** The number of steps of a round. */
  readonly steps: number
  /** The time when the last omitted round ended. */
  readonly untilUs: number
}

/** The maximum number of steps of a round. */
const longest = 8

/**
 * Folds repeated rounds. `counted`: steps that already represent omitted steps. They cannot be part
 * of a round, because the number of represented steps may differ between rounds.
 */
export function foldRepeats(
  steps: readonly Step[],
  history: History,
  { events: showing }: Pick<Violation, 'events'>,
  counted: readonly Pick<Folded, 'afterSeq'>[] = [],
): { readonly steps: readonly Step[]; readonly folded: readonly Folded[] } {
  const alone = new Set([...showing, ...counted.map(({ afterSeq }) => afterSeq)])
  const standsAlone = (step: Step) => eventsOf(step).some(({ seq }) => alone.has(seq))
  const reading = indexHistory(history)
  const marks = steps.map((step) => (standsAlone(step) ? null : markOfStep(step, reading)))
  const kept: Step[] = []
  const folded: Folded[] = []
  for (let at = 0; at < steps.length; ) {
    const { length, rounds } = longestRepeat(marks, at)
    // If only one step would be omitted, the step itself says more than a count.
    if (length * (rounds - 1) < 2) {
      kept.push(steps[at++]!)
      continue
    }
    const next = at + length * rounds
    kept.push(...steps.slice(at, at + length))
    const { event, closing = event } = steps[next - 1]!
    folded.push({
      afterSeq: steps[at + length - 1]!.event.seq,
      times: rounds - 1,
      steps: length,
      untilUs: closing.atUs,
    })
    at = next
  }
  return { steps: kept, folded }
}

/** The grouping key of a step; null if any part of the step is always shown. */
function markOfStep(step: Step, reading: HistoryIndex): string | null {
  if (step.call !== undefined) return null
  const marks = eventsOf(step).map((event) => ownMarkOf(event, reading))
  return marks.includes(null) ? null : marks.join('\n')
}

/** Finds the repetition that begins at `from` and covers the most steps. */
function longestRepeat(marks: readonly (string | null)[], from: number): { length: number; rounds: number } {
  let best = { length: 1, rounds: 1 }
  for (let length = 1; length <= longest; length++) {
    let until = from
    while (until + length < marks.length && marks[until] !== null && marks[until] === marks[until + length]) until++
    const rounds = Math.floor((until - from) / length) + 1
    if (rounds > 1 && rounds * length > best.rounds * best.length) best = { length, rounds }
  }
  return best
}

/**
 * The grouping key of an event. Events of different processes or messages have different keys. The
 * message of a command is unknown, so its key contains only its process and its words.
 */
export function ownMarkOf(event: HistoryEvent, reading: HistoryIndex): string | null {
  const mark = markOf(event)
  return mark === null
    ? null
    : `${processOf(event, reading)}, ${deliveryOf(event, reading)?.delivered.messageId ?? ''}: ${mark}`
}

/**
 * The delivery of the event, or of its request; undefined if the event names neither, such as a
 * command.
 */
export function deliveryOf(event: HistoryEvent, { deliveries, requests }: HistoryIndex): DeliveryRecord | undefined {
  if ('deliveryId' in event && event.deliveryId !== null) return deliveries.get(event.deliveryId)
  return 'requestId' in event ? requests.get(event.requestId)?.delivery : undefined
}

/** The process of the event, of its delivery or of its request. */
function processOf(event: HistoryEvent, { deliveries, requests }: HistoryIndex): string | undefined {
  if ('process' in event) return event.process
  if ('deliveryId' in event) return deliveries.get(event.deliveryId)?.delivered.process
  return 'requestId' in event ? requests.get(event.requestId)?.sent.process : undefined
}

/** The grouping key without process and message; null for an event that is always shown. */
export function markOf(event: HistoryEvent): string | null {
  switch (event.type) {
    case 'command': {
      // The grouping key contains the script and its first Redis key. Other arguments are excluded,
      // because they may be counters.
      const words = event.command.split(' ')
      const script = /^(EVAL|EVALSHA|FCALL)(_RO)?$/i.test(words[0] ?? '')
      const name = words.slice(0, script ? 4 : 2).join(' ')
      return `${name} of ${event.node ?? ''}: ${comparable(event.reply)}`
    }
    case 'delivered':
      return `${event.type} ${event.messageId}`
    case 'answered':
      // Digits are replaced, because a reason may contain the remaining time.
      return event.outcome.status === 'retry'
        ? `retry ${(event.outcome.reason ?? '').replace(/\d+/g, '#')}`
        : `${event.type} ${canonicalJson(event.outcome)}`
    case 'threw':
      return `${event.type} ${event.error}`
    case 'log':
      return `log ${event.text.replace(/\d+/g, '#')}`
    case 'delivery-timed-out':
    case 'acknowledgement-lost':
      return event.type
    case 'request-lost':
    case 'reply-lost':
      return `${event.type} ${event.command}`
    case 'effect-sent':
      return `${event.type} ${event.fence ?? ''}`
    case 'effect-refused':
      return `${event.type} ${event.reason}`
    case 'effect-cancelled':
      return `${event.type} ${event.effects.length}`
    case 'effect-answered':
      return `${event.type} ${event.answer} ${event.error ?? ''}`
    default:
      return null
  }
}

/**
 * Replaces numbers in a reply that begins with a word: the word is the answer, and a remaining time
 * may follow it.
 */
function comparable(reply: string): string {
  return /^\["[A-Za-z][\w-]*"/.test(reply) ? reply.replace(/(, )\d+/g, '$1#') : reply
}
