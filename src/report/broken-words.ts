import type { InvariantName } from '../contract/verdict.ts'

/** What a broken invariant comes to, for a heading. */
export const brokenWords: Readonly<Record<InvariantName, string>> = {
  'at-most-once': 'one effect happened twice',
  'no-lost-message': 'a message was lost',
  'no-needless-park': 'a message was parked without a cause',
  'no-false-done': 'an answer claimed what had not happened',
  'same-result': 'a duplicate got another result',
  'payload-bound': 'another payload passed for the first one',
  'bounded-stall': 'a message was put off for too long',
  'no-immortal-keys': 'Redis keys were left behind for ever',
}
