/**
 * The invariant: a key belongs to the first payload that it was used with. Kinds of violations:
 *
 * - `executed-with-another-payload`: the sink applied effects with two payloads for one key, or an
 *   effect with a payload that no message of the key carried.
 * - `answered-as-if-the-same`: a message was answered `done` or `refused` because of an effect or a
 *   refusal that belongs to another payload of its key. Or the message was answered `accepted`, and
 *   by the end of a complete run the sink had decided only about other payloads of the key.
 * - `answered-as-if-produced-then`: for a layer with `bindsProducedAt`. A message was answered
 *   `done` or `refused`, but all requests for the key came from messages with another produced-at
 *   time.
 *
 * An answer without any effect or refusal is a violation of `no-false-done`.
 */
import type { History } from '../contract/api/history.ts'
import { type DeliveryRecord, type EventOf, type HistoryIndex, indexHistory } from '../contract/api/history-index.ts'
import type { Outcome } from '../contract/api/message.ts'
import type { Invariant, Verdict, Violation } from '../contract/api/verdict.ts'
import { elapsedText, msText } from '../contract/results/time-text.ts'
import { conclude } from './conclude.ts'
import { shortened } from './shortened.ts'

function executedWithAnother(reading: HistoryIndex): Violation[] {
  const violations: Violation[] = []
  const firsts = new Map<string, EventOf<'effect-applied'>>()
  for (const applied of reading.standing) {
    const { key, fingerprint, atUs, process, seq } = applied
    const first = firsts.get(key)
    if (!first) firsts.set(key, applied)
    const sent = reading.ofKey('published', key)
    const altered = sent.length > 0 && !sent.some((message) => message.fingerprint === fingerprint)
    if (!altered && (!first || first.fingerprint === fingerprint)) continue
    const why = altered ? 'which no message of that key carried' : `after ${shortened(first!.fingerprint)}`
    const sentence = `${process} had ${key} executed with the payload ${shortened(fingerprint)} at ${msText(atUs)}, ${why}`
    violations.push({
      kind: 'executed-with-another-payload',
      key,
      sentence,
      events: [...(first && !altered ? [first.seq] : []), seq],
    })
  }
  return violations
}

/**
 * The sink's decisions for the key before the answer, or at any time if the answer was `accepted`;
 * each with its payload.
 */
function decisions(key: string, { outcome: { status }, seq: answeredSeq }: EventOf<'answered'>, reading: HistoryIndex) {
  const applied = status === 'refused' ? [] : reading.ofKey('effect-applied', key)
  const refused = status === 'done' ? [] : reading.ofKey('effect-refused', key)
  return [...applied, ...refused]
    .filter((event) => status === 'accepted' || event.seq < answeredSeq)
    .map(({ requestId, seq, ...event }) => ({
      seq,
      fingerprint: 'fingerprint' in event ? event.fingerprint : reading.requests.get(requestId)?.sent.fingerprint,
    }))
}

/** The answers that claim an outcome for the payload of the message, present or future. */
const claims: ReadonlySet<Outcome['status']> = new Set(['done', 'refused', 'accepted'])

function answeredAsIfTheSame({ delivered, answered }: DeliveryRecord, reading: HistoryIndex): Violation | null {
  if (!answered || !claims.has(answered.outcome.status)) return null
  const { key, fingerprint } = delivered
  const decided = decisions(key, answered, reading)
  const other = decided[0]
  if (!other || decided.some((decision) => decision.fingerprint === fingerprint)) return null
  const { status } = answered.outcome
  return {
    kind: 'answered-as-if-the-same',
    key,
    sentence:
      `${answered.process} answered ${status} for ${delivered.messageId} at ${msText(answered.atUs)}, ` +
      `but the sink had decided ${key} with the payload ${shortened(other.fingerprint ?? '')}, not ${shortened(fingerprint)}`,
    events: [other.seq, delivered.seq, answered.seq].sort((a, b) => a - b),
  }
}

/**
 * How far the produced-at time of a message differs from that of its key, in milliseconds;
 * undefined for an unpublished message. The first `published` event is used, because the event of a
 * copy does not contain the difference.
 */
const producedAtOffOf = (messageId: string, reading: HistoryIndex): number | undefined => {
  const [published] = reading.ofMessage('published', messageId)
  return published && (published.producedAtOffMs ?? 0)
}

/**
 * A violation if all requests for the key before the answer came from messages with another
 * produced-at time. Null if the delivery of one of these requests is unknown, because the request
 * may belong to any message.
 */
function answeredAsIfProducedThen({ delivered, answered }: DeliveryRecord, reading: HistoryIndex): Violation | null {
  if (!answered || (answered.outcome.status !== 'done' && answered.outcome.status !== 'refused')) return null
  const { key, messageId } = delivered
  const offsets = reading
    .requestsOf(key)
    .filter(({ sent }) => sent.seq < answered.seq)
    .map(({ sent, delivery }) =>
      sent.deliveryId === null ? undefined : delivery && producedAtOffOf(delivery.delivered.messageId, reading),
    )
  const own = producedAtOffOf(messageId, reading)
  const other = offsets[0]
  if (other === undefined || own === undefined || offsets.some((offset) => offset === undefined || offset === own))
    return null
  return {
    kind: 'answered-as-if-produced-then',
    key,
    sentence:
      `${answered.process} answered ${answered.outcome.status} for ${messageId} at ${msText(answered.atUs)}, but all requests ` +
      `for ${key} came from messages produced ${elapsedText(Math.abs(other - own))} ${other > own ? 'later' : 'earlier'}, ` +
      'and the layer declares that it binds keys to produced-at times',
    events: [delivered.seq, answered.seq],
  }
}

/** Keys with more than one produced-at time. Only plans with `stampOffMs` have such keys. */
function keysProducedAgain(reading: HistoryIndex): ReadonlySet<string> {
  const offsets = new Map<string, number>()
  const producedAgain = new Set<string>()
  for (const { key, producedAtOffMs = 0 } of reading.of('published')) {
    if ((offsets.get(key) ?? producedAtOffMs) !== producedAtOffMs) producedAgain.add(key)
    offsets.set(key, producedAtOffMs)
  }
  return producedAgain
}

/**
 * Keys for which more than one payload was published or sent. Only the deliveries of these keys are
 * checked, because few runs have such keys.
 */
function contestedKeys(reading: HistoryIndex): ReadonlySet<string> {
  const payloads = new Map<string, string>()
  const contested = new Set<string>()
  for (const { key, fingerprint } of [...reading.of('published'), ...reading.of('effect-sent')]) {
    if ((payloads.get(key) ?? fingerprint) !== fingerprint) contested.add(key)
    payloads.set(key, fingerprint)
  }
  return contested
}

function judge(history: History): Verdict {
  const reading = indexHistory(history)
  const contested = contestedKeys(reading)
  const deliveries = [...reading.deliveries.values()].filter(({ delivered }) => contested.has(delivered.key))
  const [whereSupported, atEnd]: [Violation[], Violation[]] = [[], []]
  for (const delivery of deliveries) {
    const violation = answeredAsIfTheSame(delivery, reading)
    // The effect of an accepted message may still happen.
    const found = delivery.answered?.outcome.status === 'accepted' ? atEnd : whereSupported
    if (violation) found.push(violation)
  }
  if (history.header.bindsProducedAt) {
    const producedAgain = keysProducedAgain(reading)
    const reported = new Set(whereSupported.map(({ key }) => key))
    for (const delivery of reading.deliveries.values()) {
      const { key } = delivery.delivered
      const violation =
        producedAgain.has(key) && !reported.has(key) ? answeredAsIfProducedThen(delivery, reading) : null
      if (violation) whereSupported.push(violation)
    }
  }
  const executed = executedWithAnother(reading)
  return history.header.sink === 'cancellable'
    ? conclude(reading, { whereSupported, atEnd: [...executed, ...atEnd] })
    : conclude(reading, { always: executed, whereSupported, atEnd })
}

export const payloadBound: Invariant = {
  name: 'payload-bound',
  about: 'A key with another payload is neither executed nor answered as if it were the same.',
  demand: 'A key with another payload is neither executed nor answered as if it were the same.',
  broken: 'another payload was mistaken for the first one',
  remedies: {
    'executed-with-another-payload': 'The key belongs to its first payload: dead-letter another one.',
    'answered-as-if-the-same': 'Dead-letter another payload under the key instead of answering as for the first one.',
    'answered-as-if-produced-then':
      'Dead-letter another produced-at time under the key instead of answering as for the first one.',
  },
  judge,
}
