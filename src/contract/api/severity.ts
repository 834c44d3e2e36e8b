import { type BuiltInName, type InvariantName, severities, type Violation } from './verdict.ts'

/** After all that are built in, which say what a layer is for. */
const ofOwn = Object.keys(severities).length

/** What broke, and by what. */
export interface Ranked extends Pick<Violation, 'sinkForgot'> {
  readonly invariant: InvariantName
}

/** The smaller, the worse. */
export function severity(invariant: InvariantName): number {
  return severities[invariant as BuiltInName] ?? ofOwn
}

/** Whatever is the layer's own is worse than what takes a sink that forgets. */
export const severityOf = ({ invariant, sinkForgot }: Ranked): number =>
  severity(invariant) + (sinkForgot ? ofOwn + 1 : 0)

/** Sorts what breaks invariants, the worst first. */
export function worstFirst(a: Ranked, b: Ranked): number {
  return severityOf(a) - severityOf(b)
}
