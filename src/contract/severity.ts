import type { InvariantName } from './verdict.ts'

/** The worst first: an effect twice, then what was claimed or lost, then what was late or wrong. */
const ranks = {
  'at-most-once': 0,
  'no-false-done': 1,
  'no-lost-message': 2,
  'bounded-stall': 3,
  'payload-bound': 4,
  'same-result': 5,
  'no-needless-park': 6,
  'no-immortal-keys': 7,
} as const satisfies Record<InvariantName, number>

/** The smaller, the worse. */
export function severity(invariant: InvariantName): number {
  return ranks[invariant]
}
