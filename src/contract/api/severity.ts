import { type BuiltInName, type InvariantName, severities } from './verdict.ts'

/** After all that are built in, which say what a layer is for. */
const ofOwn = Object.keys(severities).length

/** The smaller, the worse. */
export function severity(invariant: InvariantName): number {
  return severities[invariant as BuiltInName] ?? ofOwn
}

/** Sorts what breaks invariants, the worst first. */
export function worstFirst(a: { readonly invariant: InvariantName }, b: { readonly invariant: InvariantName }): number {
  return severity(a.invariant) - severity(b.invariant)
}
