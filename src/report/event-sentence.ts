/** Describes one event of a history as a sentence, or null if stories omit it. */
import type { History, HistoryEvent } from '../contract/api/history.ts'
import { type EventOf, indexHistory } from '../contract/api/history-index.ts'
import { canonicalJson } from '../contract/api/json.ts'
import type { Outcome } from '../contract/api/message.ts'
import type { Plan } from '../contract/api/plan.ts'
import { durationText, msText } from '../contract/results/time-text.ts'
import { asLabelled } from './command-name.ts'
import { isQueued } from './transactions.ts'

const shortened = (text: string, most = 100): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text)

function outcomeText(outcome: Outcome): string {
  if (outcome.status === 'done' && outcome.resultKept === false) return 'done before, without a stored result'
  if (outcome.status === 'done') return `done with ${shortened(canonicalJson(outcome.result), 60)}`
  if (outcome.status === 'accepted') return 'accepted: the effect will follow'
  if (outcome.status === 'refused') return `refused (${shortened(outcome.error, 60)})`
  if (outcome.status === 'dead-letter') return `dead-letter (${shortened(outcome.reason, 60)})`
  const after = outcome.afterMs === undefined ? '' : ` after ${msText(outcome.afterMs * 1000)}`
  return outcome.reason ? `retry${after} (${shortened(outcome.reason, 60)})` : `retry${after}`
}

/** The first line of a log, shortened; `…` stands for further lines. */
function logText(text: string): string {
  const [first = '', ...more] = text.trim().split(/\r?\n/)
  return shortened(more.length > 0 ? `${first} …` : first)
}

/** Shortens SHA-1s and UUIDs to eight hex digits, which are enough to distinguish them. */
const withoutDigits = (text: string): string =>
  text.replace(/\b([0-9a-f]{8})(?:[0-9a-f]{32}|-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b/g, '$1…')

/** A reply as part of a sentence. Errors are not shortened, because their end may be decisive. */
export const replyText = (reply: string): string =>
  reply.startsWith('error ') ? withoutDigits(reply) : membersShortened(withoutDigits(reply))

/**
 * Shortens each member of a list separately, so that no member is missing on which a later step
 * depends.
 */
const membersShortened = (reply: string): string =>
  /^[[{]/.test(reply)
    ? shortened(
        reply.replace(/"(?:[^"\\]|\\.)*"/g, (text) => (text.length > 24 ? `${text.slice(0, 22)}…"` : text)),
        200,
      )
    : shortened(reply, 60)

const commandText = (command: string): string =>
  shortened(withoutDigits(asLabelled(command).replace(/^\S+/, (name) => name.toUpperCase())))

function settledText({ messageId, as, reason }: EventOf<'settled'>): string {
  if (as === 'given-up') return `the broker gives up on ${messageId}: its attempts ran out`
  if (as === 'passed-over') return `the broker commits past the unfinished ${messageId}`
  if (as === 'dead-lettered')
    return `the broker dead-letters ${messageId}${reason ? ` (${reason})` : ' without a reason'}`
  return `the broker settles ${messageId} as ${as}`
}

function endText({ process, how, error }: EventOf<'process-ended'>): string {
  if (how === 'closed') return `${process} is closed`
  return how === 'crashed' ? `${process} crashes` : `${process} dies of an error: ${shortened(error ?? 'unknown')}`
}

const orphanedTexts = {
  'held-back': 'is sent at last, after a silence of',
  'given-up': 'is executed although its client had closed the connection; since then',
  outlived: 'is executed although its process had ended; since its connection closed',
  'sent-again': 'is executed again on another connection, after',
  torn: 'will never be executed, unlike others that left with it; since then',
}

function orphanedText({ process, command, how, forUs }: EventOf<'command-strayed'>): string {
  return `${command} of ${process} ${orphanedTexts[how]} ${msText(forUs)}`
}

const answerTexts = {
  receipt: 'has the receipt',
  refused: 'is refused by the sink',
  error: 'gets an error from the sink',
}

function producedAtText({ producedAtOffMs = 0 }: EventOf<'published'>): string {
  if (producedAtOffMs === 0) return ''
  return `, with a produced-at time ${msText(Math.abs(producedAtOffMs) * 1000)} ${producedAtOffMs > 0 ? 'after' : 'before'} that of the key`
}

/** The value that the sink returned instead of a receipt. */
function giftText({ gives }: EventOf<'effect-applied'>): string {
  if (gives === undefined) return ''
  return gives.value === undefined ? ' without an answer' : `, and answers ${shortened(canonicalJson(gives.value), 60)}`
}

/**
 * The time for which a keyed sink remembered the key before it forgot the key and decided about it
 * again.
 */
const rememberedText = ({ forgottenAfterMs: ms }: EventOf<'effect-applied' | 'effect-refused'>): string =>
  ms === undefined ? '' : `, which it remembered for ${durationText(ms)}`

/** How an attempt ended, for a line that already names the attempt. */
export const endingText = (event: EventOf<'answered' | 'threw'>): string =>
  event.type === 'threw'
    ? `${event.process} throws ${shortened(event.error)}`
    : `${event.process} answers ${outcomeText(event.outcome)}`

const keyName = (key: string): string => (key === '' ? 'no key' : key)

const keyText = ({ key }: EventOf<'published'>): string => (key === '' ? 'without a key' : `with the key ${key}`)

/** The partition and offset of a delivery; empty if the broker has no partitions. */
const placeText = ({ partition, offset }: EventOf<'delivered'>): string =>
  partition === undefined ? '' : `; partition ${partition}, offset ${offset}`

function timeoutText({ deliveryId }: EventOf<'delivery-timed-out'>, history: History): string {
  const delivered = indexHistory(history).deliveries.get(deliveryId)?.delivered
  return delivered?.partition === undefined
    ? `the broker stops waiting for an answer about ${messageOf(deliveryId, history)}`
    : `${delivered.process} is late, and loses the partition of ${delivered.messageId}`
}

/** The id of the message that was delivered. */
const messageOf = (deliveryId: number, history: History): string =>
  indexHistory(history).deliveries.get(deliveryId)?.delivered.messageId ?? `delivery ${deliveryId}`

/** Names the key of a first delivery if several messages have that key. */
function sharedKeyText({ key, attempt }: EventOf<'delivered'>, history: History): string {
  const messages = indexHistory(history).ofKey('published', key)
  const isShared = new Set(messages.map(({ messageId }) => messageId)).size > 1
  return isShared && attempt === 1 ? ` (key ${keyName(key)})` : ''
}

/** The planned work before each call of the sink, which is not in the layer's code. */
function workText({ header }: History): string {
  const ms = (header.plan as Plan | undefined)?.work?.beforeMs ?? 0
  return ms === 0 ? '' : `, after ${durationText(ms)} of planned work`
}

/** The process that sent a request. */
const senderOf = (requestId: number, history: History): string =>
  indexHistory(history).requests.get(requestId)?.sent.process ?? `request ${requestId}`

const refusalTexts: Record<EventOf<'effect-refused'>['reason'], string> = {
  refused: 'for good',
  fence: 'because of its stale fence',
  cancelled: 'which was cancelled before it arrived',
}

export function sentenceOf(event: HistoryEvent, history: History): string | null {
  switch (event.type) {
    case 'published':
      return event.copy
        ? `the broker publishes a copy of ${event.messageId}`
        : `${event.messageId} is published ${keyText(event)}${producedAtText(event)}`
    case 'delivered':
      return `${event.messageId}${sharedKeyText(event, history)} is handed to ${event.process} (attempt ${event.attempt}${placeText(event)})`
    case 'answered':
      return `${event.process} answers ${outcomeText(event.outcome)} for ${messageOf(event.deliveryId, history)}`
    case 'threw':
      return `${event.process} throws over ${messageOf(event.deliveryId, history)}: ${shortened(event.error)}`
    case 'delivery-timed-out':
      return timeoutText(event, history)
    case 'acknowledgement-lost':
      return `the answer about ${messageOf(event.deliveryId, history)} never reaches the broker`
    case 'settled':
      return settledText(event)
    case 'effect-sent':
      return `${event.process} calls the sink for ${keyName(event.key)}${event.fence === undefined ? '' : `, with fence ${event.fence}`}${workText(history)}`
    case 'effect-applied':
      return `the sink applies ${event.receipt.effectId} for ${keyName(event.key)}${rememberedText(event)}, sent by ${event.process}${workText(history)}${giftText(event)}`
    case 'effect-deduplicated':
      return `the sink knows ${event.key} and answers ${senderOf(event.requestId, history)} with ${event.effectId} again`
    case 'effect-refused':
      return `the sink refuses the effect of ${senderOf(event.requestId, history)} for ${event.key}${rememberedText(event)} ${refusalTexts[event.reason]}`
    case 'effect-cancelled': {
      const took =
        event.effects.length === 0 ? 'of which it had applied nothing' : `and undoes ${event.effects.join(', ')}`
      return `the sink cancels ${event.reference} for ${event.key}, asked by ${event.process}, ${took}`
    }
    case 'effect-answered':
      return `${event.process} ${answerTexts[event.answer]}${event.error ? `: ${shortened(event.error)}` : ''}`
    case 'lock':
      return `${event.process} reports that its lock for ${event.key} is ${event.what}`
    case 'process-started':
      return `${event.process} starts`
    case 'process-ended':
      return endText(event)
    case 'process-paused':
      return `${event.process} stops`
    case 'process-resumed':
      return `${event.process} goes on`
    case 'fault-struck':
      return `fault: ${event.sentence}`
    case 'fault-healed':
      return `healed: ${event.sentence}`
    case 'reply-lost':
      return `the reply to ${event.command} never reaches ${event.process}`
    case 'request-lost':
      return `${event.command} of ${event.process} is lost before it is executed`
    case 'command-strayed':
      return orphanedText(event)
    case 'data-lost':
      return event.redisKeys?.length === 0
        ? `${event.node} restarts and had nothing to lose (${event.cause})`
        : `${event.node} loses ${event.redisKeys?.join(', ') ?? 'records'} (${event.cause})`
    case 'topology':
      return event.sentence
    case 'keys-counted':
      return `${event.withoutExpiry} of ${event.keys} Redis keys never expire and are not from \`deploy\``
    case 'unanswered':
      return `${event.process} has not answered for ${messageOf(event.deliveryId, history)} at the end of the run`
    case 'ended':
      return event.complete ? 'the run is finished' : `the run is cut short: ${event.why ?? 'no reason given'}`
    case 'command':
      if (isQueued(event)) return `${event.node ?? 'Redis'} queues ${commandText(event.command)} for ${event.process}`
      return `${event.node ?? 'Redis'} executes ${commandText(event.command)} for ${event.process}: ${replyText(event.reply)}`
    case 'log':
      return `${event.process} logs${event.stream === 'stderr' ? ' (stderr)' : ''}: ${logText(event.text)}`
    case 'all-healed':
    case 'unsupported':
    case 'network':
      return null
  }
}
