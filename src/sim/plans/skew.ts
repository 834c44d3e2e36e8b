/**
 * Clocks that differ by no more than the skew that layers must tolerate: `maxClockSkewMs` of the
 * reference layer (docs/reference/guarantees.md).
 */
import fc from 'fast-check'
import type { PlannedFault } from '../../contract/api/plan.ts'
import { oneIn } from '../../run/seldom.ts'

/** Largest difference between the clocks that set produced-at times and Redis's clock. */
export const statedSkewMs = 1000

/**
 * Offset of the produced-at times of a key, in ms; 0 for two keys in three. Together with
 * `clockWithinSkew`, it stays within the stated skew.
 */
export const producedAtWithinSkew: fc.Arbitrary<number> = oneIn(3, fc.integer({ min: -400, max: 400 })).map(
  (offMs) => offMs ?? 0,
)

/** A fault that makes Redis's clock wrong by `byMs` from the beginning. */
export function redisClockOff(byMs: number): PlannedFault {
  return { kind: 'clock-step', when: { at: 'time', ms: 0 }, machine: -1, byMs }
}

/**
 * Redis's clock is off in one plan of three, mostly behind, so that its data seem younger than they
 * are.
 */
export const clockWithinSkew: fc.Arbitrary<PlannedFault[]> = oneIn(
  3,
  fc.oneof({ weight: 3, arbitrary: fc.integer({ min: -590, max: -100 }) }, fc.integer({ min: 100, max: 590 })),
).map((byMs) => (byMs === undefined ? [] : [redisClockOff(byMs)]))

/** The assumption of scenarios that use `producedAtWithinSkew` and `clockWithinSkew`. */
export const withinSkewText = 'the clocks of produced-at times and of Redis differ by less than a second'
