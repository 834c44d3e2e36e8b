/**
 * An invariant for scenarios whose messages have no key, and in which nothing goes wrong: a layer
 * must do what it declares in `withoutKey`. Effects are matched to messages by payload, because all
 * payloads differ.
 *
 * Kinds for a layer that refuses messages without a key: `performed-without-key` and
 * `done-without-key`. Kinds for a layer that performs these messages: `no-effect-without-key` and
 * `not-done-without-key` (for example, because the layer treats two messages with an empty key as
 * copies). Such a layer may perform a message twice, because copies cannot be recognized.
 */
import type { History } from '../../contract/api/history.ts'
import type { EventOf, HistoryIndex } from '../../contract/api/history-index.ts'
import { defineInvariant, type Violation } from '../../contract/api/verdict.ts'
import { msText } from '../../contract/results/time-text.ts'

type Published = EventOf<'published'>

function judge({ header }: History, reading: HistoryIndex): { whereSupported: Violation[]; atEnd: Violation[] } {
  const messages = reading.of('published').filter(({ key, copy }) => key === '' && !copy)
  return header.withoutKey === 'refuses'
    ? { whereSupported: messages.flatMap((message) => refused(message, reading)), atEnd: [] }
    : { whereSupported: [], atEnd: messages.flatMap((message) => performed(message, reading)) }
}

const effectOf = ({ fingerprint }: Published, reading: HistoryIndex) =>
  reading.of('effect-applied').find((effect) => effect.fingerprint === fingerprint)

function refused(message: Published, reading: HistoryIndex): Violation[] {
  const { messageId, seq } = message
  const effect = effectOf(message, reading)
  if (effect !== undefined) {
    const sentence =
      `${messageId} has no key, which the layer declares to refuse, ` +
      `and ${effect.process} performed its effect at ${msText(effect.atUs)}`
    return [{ kind: 'performed-without-key', key: null, sentence, events: [seq, effect.seq] }]
  }
  const done = answersTo(messageId, reading).find(({ outcome }) => claimsEffect(outcome.status))
  if (done === undefined) return []
  const sentence =
    `${messageId} has no key, which the layer declares to refuse, ` +
    `and ${done.process} answered ${done.outcome.status} for it at ${msText(done.atUs)}`
  return [{ kind: 'done-without-key', key: null, sentence, events: [seq, done.seq] }]
}

function performed(message: Published, reading: HistoryIndex): Violation[] {
  const { messageId, seq } = message
  const ended = reading.of('ended').map((event) => event.seq)
  if (effectOf(message, reading) === undefined) {
    const answered = answersTo(messageId, reading).at(-1)
    const answer = answered === undefined ? '' : `; ${answered.process} answered ${answered.outcome.status} for it`
    const sentence = `${messageId} has no key, and its effect was never performed${answer}`
    const events = [seq, ...(answered === undefined ? [] : [answered.seq]), ...ended]
    return [{ kind: 'no-effect-without-key', key: null, sentence, events }]
  }
  if (answersTo(messageId, reading).some(({ outcome }) => claimsEffect(outcome.status))) return []
  const sentence = `${messageId} has no key, and no attempt answered done for it, although its effect was performed`
  return [{ kind: 'not-done-without-key', key: null, sentence, events: [seq, ...ended] }]
}

const claimsEffect = (status: string): boolean => status === 'done' || status === 'accepted'

const answersTo = (messageId: string, reading: HistoryIndex): EventOf<'answered'>[] =>
  [...reading.deliveries.values()].flatMap(({ delivered, answered }) =>
    delivered.messageId === messageId && answered !== undefined ? [answered] : [],
  )

export const withoutKey = defineInvariant({
  id: 'without-key',
  about: 'A message without a key is refused or performed, as the layer declares.',
  needs: 'withoutKey',
  judge,
})
