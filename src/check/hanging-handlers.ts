/**
 * Finds handlers that never answer: the kind `handler-never-answers` of `no-lost-message`, one
 * violation for each key. The simulation records these handlers (`unanswered` with `hangs`).
 *
 * Such a handler blocks its message, unless another delivery settles the message. If consumers take
 * one message at a time, the handler also blocks all other unsettled messages. The blocked messages
 * are not reported as other violations.
 */
import type { History } from '../contract/api/history.ts'
import type { DeliveryRecord, EventOf, HistoryIndex } from '../contract/api/history-index.ts'
import type { Plan } from '../contract/api/plan.ts'
import type { Violation } from '../contract/api/verdict.ts'
import { msText } from '../contract/results/time-text.ts'
import { healedAtUs } from './healing.ts'

interface Hanging {
  readonly violations: readonly Violation[]
  /** True if a handler that never answers blocks the message. */
  keeps(messageId: string): boolean
}

interface Handler {
  readonly delivery: DeliveryRecord
  readonly unanswered: EventOf<'unanswered'>
}

export function hangingHandlers({ header }: History, reading: HistoryIndex): Hanging {
  const handlers = reading.of('unanswered').flatMap((unanswered): Handler[] => {
    const delivery = reading.deliveries.get(unanswered.deliveryId)
    return delivery === undefined || unanswered.hangs === undefined ? [] : [{ delivery, unanswered }]
  })
  const plan = header.plan as Plan | undefined
  const isSerial = plan?.serial === true || plan?.broker !== undefined
  const takes = plan?.broker === undefined ? 'one message at a time' : 'nothing else of its topic'
  const own = new Set(handlers.map(({ delivery }) => delivery.delivered.messageId))
  const behind = isSerial && handlers.length > 0 ? unsettled(reading).filter((id) => !own.has(id)) : []
  const ofKeys = new Map(handlers.toReversed().map((handler) => [handler.delivery.delivered.key, handler]))
  const violations = [...ofKeys.values()].reverse().map((handler) => violation(handler, behind, takes, reading))
  const kept = new Set([...behind, ...own])
  return {
    violations,
    keeps: (messageId) => kept.has(messageId) && isLeftTo(messageId, handlers, reading),
  }
}

/**
 * True if the broker has not settled the message, or if the handler of its last delivery never
 * answered.
 */
function isLeftTo(messageId: string, handlers: readonly Handler[], reading: HistoryIndex): boolean {
  if (reading.ofMessage('settled', messageId).length === 0) return true
  const last = [...reading.deliveries.values()].findLast(({ delivered }) => delivered.messageId === messageId)
  return handlers.some(({ delivery }) => delivery === last)
}

const unsettled = (reading: HistoryIndex): string[] => [
  ...new Set(
    reading
      .of('published')
      .filter(({ messageId }) => reading.ofMessage('settled', messageId).length === 0)
      .map(({ messageId }) => messageId),
  ),
]

function violation(
  { delivery, unanswered }: Handler,
  behind: readonly string[],
  takes: string,
  reading: HistoryIndex,
): Violation {
  const { key, messageId, process, seq, atUs } = delivery.delivered
  const healedUs = healedAtUs(reading)
  const since = healedUs > atUs ? ` the last fault was over at ${msText(healedUs)},` : ''
  const lost = behind.length === 0 ? '' : `; it takes ${takes}, and ${waiting(behind)}`
  const isSettled = reading.ofMessage('settled', messageId).some(({ as }) => as !== 'given-up')
  const though = isSettled ? '; another delivery was answered for the message' : ''
  return {
    kind: 'handler-never-answers',
    key,
    sentence:
      `${process} never answered for ${messageId} (key ${key}), delivered at ${msText(atUs)},${since} ` +
      `${endText(unanswered)} at ${msText(unanswered.atUs)}${though}${lost}`,
    events: [seq, unanswered.seq],
  }
}

const endText = ({ hangs }: EventOf<'unanswered'>): string =>
  hangs?.nothingLeft ? 'and no event was left' : 'and nothing was left to wait for'

const mostNamed = 3

function waiting(behind: readonly string[]): string {
  const named = behind.slice(0, mostNamed)
  const names = behind.length > mostNamed ? [...named, `${behind.length - mostNamed} more`] : named
  const text = names.length === 1 ? names[0]! : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
  return behind.length === 1 ? `${text} waits behind it forever` : `${text} wait behind it forever`
}
