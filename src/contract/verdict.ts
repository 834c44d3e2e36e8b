import type { History } from './history.ts'
import type { Mechanism } from './implementation.ts'

/**
 * Every invariant, in the order in which reports list them, with its severity: 0 is the worst. An effect twice comes
 * first, then what was claimed or lost, then what was late or wrong. The names appear in reports, in JSON and in
 * people's CI, and never change.
 */
export const severities = {
  'at-most-once': 0,
  'no-lost-message': 2,
  'no-needless-park': 6,
  'no-false-done': 1,
  'same-result': 5,
  'payload-bound': 4,
  'bounded-stall': 3,
  'no-immortal-keys': 7,
} as const
export type InvariantName = keyof typeof severities
export const invariantNames = Object.keys(severities) as readonly InvariantName[]

/** Invariants that are about a mechanism. */
const mechanisms: { readonly [name in InvariantName]?: Mechanism } = { 'same-result': 'stored-result' }

/** Why an invariant is not asked of a layer that does without these mechanisms; null where it is. */
export function notAsked(name: InvariantName, lacks: readonly Mechanism[]): string | null {
  const mechanism = mechanisms[name]
  return mechanism !== undefined && lacks.includes(mechanism)
    ? `the layer declares that it does without (lacks: ['${mechanism}'])`
    : null
}

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
  /** Not asked of this layer. */
  | { readonly verdict: 'n/a'; readonly reason: string }

/** What is said of an invariant, in `list` and in reports. */
export interface InvariantDoc {
  /** What it demands, in one sentence: for `list`. */
  readonly about: string
  /** What it demands, in one sentence: for a reader of reports. */
  readonly demand: string
  /** What a violation amounts to, for a heading. */
  readonly broken: string
  /** What should have happened instead, by kind of violation. `a` stands for every `a:b` that is not listed itself. */
  readonly remedies: { readonly [kind: string]: string }
}

/** A property of a history. Reads facts only, never traces, so that hot and recorded runs judge alike. */
export interface Invariant extends InvariantDoc {
  readonly name: InvariantName
  judge(history: History): Verdict
}
