/**
 * Folds rounds that repeat: the same delivery, command, reply and answer again and again. The first
 * round is shown, with the number of repetitions. A round with any difference, above all a reply or
 * a process, is shown separately.
 */
import type { History, HistoryEvent } from '../contract/api/history.ts'
import { type DeliveryRecord, type HistoryIndex, indexHistory } from '../contract/api/history-index.ts'
import { canonicalJson } from '../contract/api/json.ts'
import type { Violation } from '../contract/api/verdict.ts'
import { eventsOf, type Step } from './story-steps.ts'

/** Represents the rounds after the first one. */
export interface Folded {
  /** The last event of the first round. */
  readonly afterSeq: number
  readonly times: number
  /** Number of steps of a round. */
  readonly steps: number
  /** End of the last omitted round. */
  readonly untilUs: number
}

/** Maximum number of steps of a round. */
const longest = 8

/**
 * `counted`: steps that already represent others. They cannot be part of a round, because the
 * number of represented steps may differ between rounds.
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
    // A count that replaces a single line would say less than the line.
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

/** Null if any part of the step is always shown. */
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
 * Grouping key for folding. Events of different processes or messages are never merged. For
 * commands, only the process and the keys are known.
 */
export function ownMarkOf(event: HistoryEvent, reading: HistoryIndex): string | null {
  const mark = markOf(event)
  return mark === null
    ? null
    : `${processOf(event, reading)}, ${deliveryOf(event, reading)?.delivered.messageId ?? ''}: ${mark}`
}

/** The delivery of the event or of its request; undefined if it has neither, as commands. */
export function deliveryOf(event: HistoryEvent, { deliveries, requests }: HistoryIndex): DeliveryRecord | undefined {
  if ('deliveryId' in event && event.deliveryId !== null) return deliveries.get(event.deliveryId)
  return 'requestId' in event ? requests.get(event.requestId)?.delivery : undefined
}

/** The process of the event, or of its delivery or request. */
function processOf(event: HistoryEvent, { deliveries, requests }: HistoryIndex): string | undefined {
  if ('process' in event) return event.process
  if ('deliveryId' in event) return deliveries.get(event.deliveryId)?.delivered.process
  return 'requestId' in event ? requests.get(event.requestId)?.sent.process : undefined
}

/** Grouping key without process and message; null for an event that is always shown. */
export function markOf(event: HistoryEvent): string | null {
  switch (event.type) {
    case 'command': {
      // Includes the script and its key; other arguments may be counters.
      const words = event.command.split(' ')
      const script = /^(EVAL|EVALSHA|FCALL)(_RO)?$/i.test(words[0] ?? '')
      const name = words.slice(0, script ? 4 : 2).join(' ')
      return `${name} of ${event.node ?? ''}: ${comparable(event.reply)}`
    }
    case 'delivered':
      return `${event.type} ${event.messageId}`
    case 'answered':
      // A reason may contain the remaining time.
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

/** A reply that begins with a word has that word as its answer; a remaining time may follow. */
function comparable(reply: string): string {
  return /^\["[A-Za-z][\w-]*"/.test(reply) ? reply.replace(/(, )\d+/g, '$1#') : reply
}
