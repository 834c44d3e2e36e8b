/**
 * Every `done` answer carries what the key's only effect gave, compared as canonical JSON: its receipt, or what the sink
 * hands out in place of one. An effect that gave nothing at all has the result null; false, 0, '' and {} are others.
 * One kind: `different-result`. A key with several effects is `at-most-once`'s or `payload-bound`'s, a key with none
 * is `no-false-done`'s: neither is judged here. A layer that declares to store no results is not asked; one that does not
 * declare it may not answer that it kept none.
 */
import type { History } from '../contract/history.ts'
import { indexHistory } from '../contract/history-index.ts'
import { canonicalJson } from '../contract/json.ts'
import { msText } from '../contract/time-text.ts'
import { type Invariant, notAsked, type Verdict, type Violation } from '../contract/verdict.ts'
import { conclude } from './conclude.ts'
import { shortened } from './shortened.ts'

function judge(history: History): Verdict {
  const reason = notAsked('same-result', history.header.lacks)
  if (reason !== null) return { verdict: 'n/a', reason }
  const reading = indexHistory(history)
  const violations: Violation[] = []
  for (const { delivered, answered } of reading.deliveries.values()) {
    const [effect, another] = reading.ofKey('effect-applied', delivered.key)
    if (answered?.outcome.status !== 'done' || !effect || another) continue
    // Nearly always equal as they stand, which is cheaper to see.
    const given = effect.gives === undefined ? effect.receipt : effect.gives.value
    if (JSON.stringify(answered.outcome.result) === JSON.stringify(given)) continue
    const [told, receipt] = [canonicalJson(answered.outcome.result), canonicalJson(given)]
    if (told === receipt) continue
    const unkept = answered.outcome.resultKept === false
    violations.push({
      kind: 'different-result',
      key: delivered.key,
      sentence:
        `${answered.process} answered done for ${delivered.key} at ${msText(answered.atUs)} with ${unkept ? 'no result kept' : shortened(told)}, ` +
        `but ${effect.gives === undefined ? 'the receipt of its only effect is' : 'its only effect gave'} ${shortened(receipt)}` +
        (unkept ? ", and the layer does not declare lacks: ['stored-result']" : ''),
      events: [effect.seq, answered.seq].sort((a, b) => a - b),
    })
  }
  return conclude(reading, { whereSupported: violations })
}

export const sameResult: Invariant = {
  name: 'same-result',
  about: 'Every done answer for a key carries what its only effect gave.',
  demand: "Every done answer for a key carries what the key's only effect gave.",
  broken: 'a duplicate got another result',
  remedies: {
    'different-result': "Every done answer should carry what the key's only effect gave.",
  },
  judge,
}
