/** What the page says for names that a reader may not know. */
import type { PairVerdict } from '../../contract/results.ts'
import type { InvariantName } from '../../contract/verdict.ts'

export const invariantWords: Readonly<Record<InvariantName, string>> = {
  'at-most-once': 'The sink applies at most one effect for one key and payload.',
  'no-lost-message': 'Every message ends done, refused, or parked with a reason.',
  'no-needless-park': 'Nothing is parked without a cause; without faults everything is done.',
  'no-false-done': 'Done is answered only for an effect that happened, refused only for one that the sink refused.',
  'same-result': "Every done answer for a key carries the receipt of the key's only effect.",
  'payload-bound': 'A key with another payload is neither executed nor answered as if it were the same.',
  'bounded-stall': 'Once nothing stands in the way of a key, retry answers end within the declared bound.',
  'no-immortal-keys': 'Redis keys without expiry do not grow in number with messages.',
}

/** A sign beside the word, so that colour is never the only difference. */
export const verdictSigns: Readonly<Record<PairVerdict, string>> = {
  pass: '✓',
  violated: '✕',
  unknown: '?',
  error: '!',
}
