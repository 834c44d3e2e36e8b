import type { History, HistoryEvent } from '../contract/api/history.ts'
import { type DeliveryRecord, type EventOf, indexHistory, isOpenAt } from '../contract/api/history-index.ts'
import { positionText } from '../contract/api/source-position.ts'
import { endingText, sentenceOf } from './event-sentence.ts'
import type { Step } from './story-steps.ts'

/** A step as a sentence, followed by the user's source line that caused it: ` (src/pay.ts:12)`. */
export function stepSentence(step: Step, history: History, key: string | null = null): string {
  const { event, opening, closing, call, calls, losses = [] } = step
  const begins =
    opening === undefined
      ? otherKeyText(event, history, key)
      : `${opening.messageId}${keyText(opening.key, key)}, attempt ${opening.attempt}: `
  const lost = losses
    .map((loss) => `; ${isExpiredFor(loss, event) ? expiredText(loss) : sentenceOf(loss, history)}`)
    .join('')
  const ends =
    closing === undefined
      ? ''
      : `; ${isRethrown(event, closing) ? `${closing.process} throws it` : endingText(closing)}`
  const goesOn = calls === undefined ? '' : `; ${sentenceOf(calls, history)}${from(calls)}`
  return `${begins}${sentenceOf(event, history) ?? event.type}${lost}${ends}${from(call ?? event)}${goesOn}`
}

/**
 * Names the key of the step if it differs from that of the story. Names the message of a command if
 * its process had several deliveries of the key.
 */
function otherKeyText(event: HistoryEvent, history: History, key: string | null): string {
  const { deliveries } = indexHistory(history)
  const id = event.type === 'command' ? event.sentFor : 'deliveryId' in event ? event.deliveryId : null
  const delivered = deliveries.get(id ?? -1)?.delivered
  if (delivered === undefined) return ''
  if (keyText(delivered.key, key) !== '') return `for ${delivered.key}: `
  const isAlike = (one: DeliveryRecord) =>
    one.delivered.process === delivered.process && one.delivered.key === delivered.key && isOpenAt(one, event)
  return event.type === 'command' && [...deliveries.values()].filter(isAlike).length > 1
    ? `${delivered.messageId}: `
    : ''
}

const keyText = (own: string, key: string | null): string => (key === null || own === key ? '' : ` for ${own}`)

const from = (event: HistoryEvent): string =>
  'sentFrom' in event && event.sentFrom !== undefined ? ` (${positionText(event.sentFrom)})` : ''

const isExpiredFor = ({ cause, redisKeys = [] }: EventOf<'data-lost'>, event: HistoryEvent): boolean =>
  cause === 'expiry' && event.type === 'command' && redisKeys.length > 0

const expiredText = ({ redisKeys = [] }: EventOf<'data-lost'>): string =>
  `${redisKeys.join(', ')} ${redisKeys.length === 1 ? 'has' : 'have'} expired`

/** True if the attempt threw the error that the sink had returned. */
const isRethrown = (event: HistoryEvent, closing: HistoryEvent): boolean =>
  event.type === 'effect-answered' &&
  closing.type === 'threw' &&
  event.error !== undefined &&
  closing.error.includes(event.error)
