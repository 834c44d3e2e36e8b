/**
 * Expresses a pass as a number by the rule of three: if none of n independent runs was violated,
 * then, at 95 % confidence, at most about 3/n of all runs that are drawn in the same way would be.
 * The exact bound is 1 - 0.05^(1/n), which is slightly less. For several scenarios, the bound
 * applies to their mixture, in the proportions in which they were played. Source: J. A. Hanley and
 * A. Lippman-Hand, "If nothing goes wrong, is everything all right? Interpreting zero numerators",
 * JAMA 249 (1983), 1743-1745.
 */
import { grouped } from './figures.ts'

/** This number of runs or fewer give no bound. */
const tooFew = 3

/** `0 of 2,000 runs broke: at most 1 in 666 breaks (95 % confidence)` */
export function boundOf(runs: number): string {
  if (runs <= tooFew) return `0 of ${grouped(runs)} runs broke, too few for a bound`
  // Rounded down, so that the rate is never below 3/n.
  const oneIn = grouped(Math.floor(runs / 3))
  return `0 of ${grouped(runs)} runs broke: at most 1 in ${oneIn} breaks (95 % confidence)`
}
