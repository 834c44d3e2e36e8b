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

/** Kinds that such a step explains better. */
const explained = /^(duplicate|zombie|repeat-after-loss:expiry)$/

/** What should have happened in place of a kind of violation: the moral of its story. Null for a kind that has none. */
export function remedyOf(kind: string, decidedBy: string | null = null): string | null {
  const ofStep = explained.test(kind) ? ofSteps.find(([step]) => step.test(decidedBy ?? ''))?.[1] : undefined
  return ofStep ?? remedies.get(kind) ?? remedies.get(kind.split(':', 1)[0]!) ?? null
}
