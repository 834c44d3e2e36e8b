import type { InvariantName } from './verdict.ts'

/** The worst first: an effect twice, then what was claimed or lost, then what was late or wrong. */
const worstFirst: readonly InvariantName[] = [
  'at-most-once',
  'no-false-done',
  'no-lost-message',
  'bounded-stall',
  'payload-bound',
  'same-result',
  'no-needless-park',
  'no-immortal-keys',
]

/** The smaller, the worse. */
export function severity(invariant: InvariantName): number {
  return worstFirst.indexOf(invariant)
}
