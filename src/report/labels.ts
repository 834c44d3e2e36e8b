/** Short names for narrow columns. */
import type { PairVerdict, ViolationResult } from '../contract/results/results.ts'

/** The signs of verdicts, so that color is never the only difference. */
export const verdictSigns: Readonly<Record<PairVerdict, string>> = {
  pass: '✓',
  violated: '✕',
  unknown: '?',
  error: '!',
}

/**
 * Shortens `repeat-after-loss:failover` to `failover` for narrow columns. For other invariants than
 * `at-most-once`, returns the invariant.
 */
export function shortKind({ invariant, kind }: ViolationResult): string {
  return invariant === 'at-most-once' ? kind.replace(/^repeat-after-(loss:)?/, '') : invariant
}
