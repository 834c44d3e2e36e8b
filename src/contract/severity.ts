import { type InvariantName, severities } from './verdict.ts'

/** The smaller, the worse. */
export function severity(invariant: InvariantName): number {
  return severities[invariant]
}

/** Sorts what breaks invariants, the worst first. */
export function worstFirst(a: { readonly invariant: InvariantName }, b: { readonly invariant: InvariantName }): number {
  return severity(a.invariant) - severity(b.invariant)
}
