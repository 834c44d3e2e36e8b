/** Short names for what has little room. */
import type { PairVerdict, ViolationResult } from '../contract/results/results.ts'

/** A sign beside the word, so that colour is never the only difference. */
export const verdictSigns: Readonly<Record<PairVerdict, string>> = {
  pass: '✓',
  violated: '✕',
  unknown: '?',
  error: '!',
}

/**
 * `repeat-after-loss:failover` is `failover`, where a table has no room; what is no repeat, its
 * invariant.
 */
export function shortKind({ invariant, kind }: ViolationResult): string {
  return invariant === 'at-most-once' ? kind.replace(/^repeat-after-(loss:)?/, '') : invariant
}
