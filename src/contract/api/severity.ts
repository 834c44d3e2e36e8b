import { type BuiltInName, type InvariantName, severities, type Violation } from './verdict.ts'

/**
 * The severity of a scenario's own invariants: after all built-in ones, which define what a layer
 * is for.
 */
const ofOwn = Object.keys(severities).length

/** A broken invariant, and whether a sink that forgot its key is the reason. */
export interface Ranked extends Pick<Violation, 'sinkForgot'> {
  readonly invariant: InvariantName
}

/** The severity of an invariant; a smaller number is worse. */
export function severity(invariant: InvariantName): number {
  return severities[invariant as BuiltInName] ?? ofOwn
}

/**
 * The rank of a violation. A violation that occurs only because the sink forgot its key ranks after
 * all others.
 */
export const severityOf = ({ invariant, sinkForgot }: Ranked): number =>
  severity(invariant) + (sinkForgot ? ofOwn + 1 : 0)

/** Compares violations, for sorting the worst first. */
export function worstFirst(a: Ranked, b: Ranked): number {
  return severityOf(a) - severityOf(b)
}
