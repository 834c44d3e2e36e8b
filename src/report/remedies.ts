import { invariantDocs } from '../check/docs.ts'

const remedies = new Map(Object.values(invariantDocs).flatMap((doc) => Object.entries(doc.remedies)))

/** Of effects that happened twice, where the step that decided it (`Cause.decidedBy`) says more than the kind does. */
const ofSteps: readonly (readonly [step: RegExp, remedy: string])[] = [
  [
    /, then .+: nothing/,
    'One command met the record, and the next one found it gone: the layer should have begun again, not gone on as if it were the holder.',
  ],
  [
    /, done meanwhile$/,
    'The attempt wrote over a record that was completed after it had looked: it should write only where the record is still as it was read.',
  ],
]

/** Of effects that happened twice, where the sentence of its cause says more than both do. */
const ofCauses: readonly (readonly [why: RegExp, remedy: string])[] = [
  [
    / went by a time that /,
    "Whether a key is free should be said by Redis's own clock, by an expiry or by TIME within the script: no time of a client should decide it.",
  ],
]

/** Kinds that such a step explains better. */
const explained = /^(duplicate|zombie|repeat-after-loss:expiry)$/

/** Where a kind's remedy is explained; of a kind with a colon, what stands before it may have one for all. */
const pages: Readonly<Record<string, string>> = {
  duplicate: 'docs/guarantees.md#at-most-one-effect-per-key',
  zombie: 'docs/guarantees.md#at-most-one-effect-per-key',
  'repeat-after-crash': 'docs/once.md#when-something-is-in-doubt',
  'repeat-after-error': 'docs/once.md#when-something-is-in-doubt',
  'repeat-after-loss': 'docs/guarantees.md#at-most-one-effect-per-key',
  'repeat-after-loss:failover': 'docs/after-a-failover.md',
  'repeat-after-loss:split-brain': 'docs/guarantees.md#replicas',
  'done-without-effect': 'docs/once.md#what-to-do-with-an-outcome',
  'different-result': 'docs/once.md#what-to-do-with-an-outcome',
  'different-reply': 'docs/http.md#how-replies-are-compared',
  'executed-with-another-payload': 'docs/guarantees.md#what-a-message-and-a-result-may-be',
  'answered-as-if-the-same': 'docs/guarantees.md#what-a-message-and-a-result-may-be',
  'given-up': 'docs/once.md#giving-up',
}

/** The page of this package's documentation, with its section; null where none explains it. */
export function pageOf(kind: string): string | null {
  return pages[kind] ?? pages[kind.split(':', 1)[0]!] ?? null
}

/** What should have happened in place of a kind of violation: the moral of its story. Null for a kind that has none. */
export function remedyOf(kind: string, decidedBy: string | null = null, why: string | null = null): string | null {
  const ofCause = ofCauses.find(([cause]) => cause.test(why ?? ''))?.[1]
  const ofStep = explained.test(kind) ? ofSteps.find(([step]) => step.test(decidedBy ?? ''))?.[1] : undefined
  return ofCause ?? ofStep ?? remedies.get(kind) ?? remedies.get(kind.split(':', 1)[0]!) ?? null
}
