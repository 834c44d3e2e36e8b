/**
 * Rounds that repeat: a message handed over, a command with its reply, the same answer, again and
 * again. The first round is told, and how often it went on like that. A round in which something
 * was otherwise, a reply or a process above all, stands by itself.
 */
import type { History, HistoryEvent } from '../contract/api/history.ts'
import { type DeliveryRecord, type HistoryIndex, indexHistory } from '../contract/api/history-index.ts'
import { canonicalJson } from '../contract/api/json.ts'
import type { Violation } from '../contract/api/verdict.ts'
import { eventsOf, type Step } from './story-steps.ts'

/** What stands for the rounds after the first one. */
export interface Folded {
  /** The last event of the first round. */
  readonly afterSeq: number
  readonly times: number
  /** How many steps a round has. */
  readonly steps: number
  /** When the last of them was over. */
  readonly untilUs: number
}

/** Events of one round, at most. */
const longest = 8

/**
 * `counted`: steps that stand for others already are no part of a round, which may have had more of
 * them or fewer.
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
    // A count in place of one line says less than the line.
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

/** Null where any part of it is always told. */
function markOfStep(step: Step, reading: HistoryIndex): string | null {
  if (step.call !== undefined) return null
  const marks = eventsOf(step).map((event) => ownMarkOf(event, reading))
  return marks.includes(null) ? null : marks.join('\n')
}

/** Of the rounds that begin there, those that cover most. */
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
 * What must be equal for two events to be told as one with their process and message: no line lays
 * what one process did, or what came of one message, to another. Of commands, only the process and
 * the keys are known.
 */
export function ownMarkOf(event: HistoryEvent, reading: HistoryIndex): string | null {
  const mark = markOf(event)
  return mark === null
    ? null
    : `${processOf(event, reading)}, ${deliveryOf(event, reading)?.delivered.messageId ?? ''}: ${mark}`
}

/**
 * The delivery that it is about, or that its request was sent in; undefined where it names neither,
 * as commands do.
 */
export function deliveryOf(event: HistoryEvent, { deliveries, requests }: HistoryIndex): DeliveryRecord | undefined {
  if ('deliveryId' in event && event.deliveryId !== null) return deliveries.get(event.deliveryId)
  return 'requestId' in event ? requests.get(event.requestId)?.delivery : undefined
}

/** Whose it is, or whose delivery or request it is about. */
function processOf(event: HistoryEvent, { deliveries, requests }: HistoryIndex): string | undefined {
  if ('process' in event) return event.process
  if ('deliveryId' in event) return deliveries.get(event.deliveryId)?.delivered.process
  return 'requestId' in event ? requests.get(event.requestId)?.sent.process : undefined
}

/**
 * What must be equal for two events to be told as one, whichever process and message they are of;
 * null for what is always told.
 */
export function markOf(event: HistoryEvent): string | null {
  switch (event.type) {
    case 'command': {
      // With its script and key: other arguments may count up.
      const words = event.command.split(' ')
      const script = /^(EVAL|EVALSHA|FCALL)(_RO)?$/i.test(words[0] ?? '')
      const name = words.slice(0, script ? 4 : 2).join(' ')
      return `${name} of ${event.node ?? ''}: ${comparable(event.reply)}`
    }
    case 'delivered':
      return `${event.type} ${event.messageId}`
    case 'answered':
      // A reason may tell how long is left.
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

/** A reply that begins with a word has that word as its answer; how long is left may follow it. */
function comparable(reply: string): string {
  return /^\["[A-Za-z][\w-]*"/.test(reply) ? reply.replace(/(, )\d+/g, '$1#') : reply
}
