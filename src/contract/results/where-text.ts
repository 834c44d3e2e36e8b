import type { Boundary } from '../api/plan.ts'

/**
 * The boundary at which a fault struck, for its sentence: "after its SET executed"; empty if it
 * struck at a time.
 */
export function whereText(passing: { readonly boundary: Boundary; readonly label: string | null } | null): string {
  if (passing === null) return ''
  const label = passing.label ?? ''
  const what = effectWord(passing.label)
  const texts: Record<Boundary, string> = {
    'delivery-received': ' as it receives a delivery',
    'command-unsent': ` before it sends ${label}`,
    'command-unexecuted': ` before its ${label} is executed`,
    'command-executed': ` after its ${label} executed, before the reply comes back`,
    'reply-received': ` as the reply to its ${label} comes back`,
    'effect-unsent': ' just before it sends the effect',
    'effect-unapplied': ` before its ${what} is applied`,
    'effect-applied': ` after its ${what} was applied, before it has the answer`,
    'effect-answered': " as the sink's answer comes back",
    answered: ' as it answers the broker',
    acknowledged: ' after its answer reached the broker',
  }
  return texts[passing.boundary]
}

/** The label of a cancellation at boundaries of effects. */
export const cancellationLabel = 'cancel'

/** `cancellation` if the request was to cancel effects, otherwise `effect`. */
export const effectWord = (label: string | null): string => (label === cancellationLabel ? 'cancellation' : 'effect')
