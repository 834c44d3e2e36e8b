/**
 * The invariant: every `done` answer carries the result of the key's only effect, compared as
 * canonical JSON. The result is the receipt, or the value that the sink returned instead. An effect
 * that returned nothing has the result null; false, 0, '' and {} are different results. Kinds of
 * violations:
 *
 * - `different-result`: the answer carries another result.
 * - `different-reply`: the result is the same, but the rest of the reply differs, such as the
 *   status of an HTTP reply. Only for layers whose `done` has a `reply`.
 *
 * Keys with several effects are judged by `at-most-once` or `payload-bound`, and keys without an
 * effect by `no-false-done`. A layer that declares that it stores no results is not judged. Any
 * other layer must not answer `resultKept: false`.
 */
import type { History } from '../contract/api/history.ts'
import { type EventOf, indexHistory } from '../contract/api/history-index.ts'
import { canonicalJson, type JsonValue } from '../contract/api/json.ts'
import { type Invariant, notAsked, type Verdict, type Violation } from '../contract/api/verdict.ts'
import { msText } from '../contract/results/time-text.ts'
import { conclude } from './conclude.ts'
import { shortened } from './shortened.ts'

function judge(history: History): Verdict {
  const reason = notAsked('same-result', { lacks: history.header.lacks })
  if (reason !== null) return { verdict: 'n/a', reason }
  const reading = indexHistory(history)
  const violations: Violation[] = []
  const replies = new Map<string, EventOf<'answered'>>()
  for (const { delivered, answered } of reading.deliveries.values()) {
    const [effect, another] = reading.standingOf(delivered.key)
    if (answered?.outcome.status !== 'done' || !effect || another) continue
    const given = effect.gives === undefined ? effect.receipt : effect.gives.value
    if (alike(answered.outcome.result, given)) {
      const first = replies.get(delivered.key)
      if (first === undefined) replies.set(delivered.key, answered)
      else if (!alike(replyOf(first), replyOf(answered)))
        violations.push(differentReply(delivered.key, first, answered))
      continue
    }
    const [reported, receipt] = [canonicalJson(answered.outcome.result), canonicalJson(given)]
    const unkept = answered.outcome.resultKept === false
    violations.push({
      kind: 'different-result',
      key: delivered.key,
      sentence:
        `${answered.process} answered done for ${delivered.key} at ${msText(answered.atUs)} with ${unkept ? 'no result kept' : shortened(reported)}, ` +
        `but ${effect.gives === undefined ? 'the receipt of its only effect is' : 'its only effect gave'} ${shortened(receipt)}` +
        (unkept ? ", and the layer does not declare lacks: ['stored-result']" : ''),
      events: [effect.seq, answered.seq].sort((a, b) => a - b),
    })
  }
  // On a cancellable sink, the only effect of a key is certain only at the end of the run.
  return conclude(
    reading,
    history.header.sink === 'cancellable' ? { atEnd: violations } : { whereSupported: violations },
  )
}

/**
 * True if both values are equal as canonical JSON. The plain JSON is compared first, because the
 * comparison is cheaper and the texts are nearly always equal.
 */
function alike(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other) || canonicalJson(one) === canonicalJson(other)
}

const replyOf = ({ outcome }: EventOf<'answered'>): JsonValue | undefined =>
  outcome.status === 'done' ? outcome.reply : undefined

function differentReply(key: string, first: EventOf<'answered'>, other: EventOf<'answered'>): Violation {
  const [reported, reportedFirst] = [other, first].map((answered) => shortened(canonicalJson(replyOf(answered))))
  return {
    kind: 'different-reply',
    key,
    sentence:
      `${other.process} answered done for ${key} at ${msText(other.atUs)} with the reply ${reported}, ` +
      `but ${first.process} answered with ${reportedFirst}`,
    events: [first.seq, other.seq].sort((a, b) => a - b),
  }
}

export const sameResult: Invariant = {
  name: 'same-result',
  about: 'Every done answer for a key carries the result of its only effect.',
  demand: 'Every done answer for a key carries the result of its only effect.',
  broken: 'a duplicate got another result',
  remedies: {
    'different-result': 'Every done answer should carry the result of the only effect.',
    'different-reply':
      'Every done answer for a key should be equal: store the status and headers of the reply with its body.',
  },
  judge,
}
