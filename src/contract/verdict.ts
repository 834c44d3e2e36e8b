import type { History } from './history.ts'

/** DESIGN 5. Stable names: they appear in reports, in JSON and in people's CI. */
export const invariantNames = [
  'at-most-once',
  'no-lost-message',
  'no-needless-park',
  'no-false-done',
  'same-result',
  'payload-bound',
  'bounded-stall',
  'no-immortal-keys',
] as const
export type InvariantName = (typeof invariantNames)[number]

/** One way in which a history breaks an invariant. */
export interface Violation {
  /** Tells violations of one invariant apart: `zombie`, `repeat-after-crash`, … Stable. */
  readonly kind: string
  /** The idempotency key it happened to, where there is one. */
  readonly key: string | null
  /** One sentence for a person, with names and virtual times. */
  readonly sentence: string
  /** `seq` of the events that show it, in order. */
  readonly events: readonly number[]
}

export type Verdict =
  | { readonly verdict: 'valid' }
  | { readonly verdict: 'violated'; readonly violations: readonly Violation[] }
  | { readonly verdict: 'unknown'; readonly reason: string }

/** A property of a history. Reads facts only, never traces, so that hot and recorded runs judge alike. */
export interface Invariant {
  readonly name: InvariantName
  /** What it demands, in one sentence. */
  readonly about: string
  judge(history: History): Verdict
}
