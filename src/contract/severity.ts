import { type InvariantName, severities } from './verdict.ts'

/** The smaller, the worse. */
export function severity(invariant: InvariantName): number {
  return severities[invariant]
}
