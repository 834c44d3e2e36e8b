/**
 * Clocks that disagree by no more than layers are told: `maxClockSkewMs` of the reference layer
 * (docs/reference/guarantees.md).
 */
import fc from 'fast-check'
import type { PlannedFault } from '../../contract/api/plan.ts'
import { oneIn } from '../../run/seldom.ts'

/** How far the clocks that set produced-at times and Redis's clock may be apart. */
export const statedSkewMs = 1000

/**
 * How far the produced-at times of a key are off, where they are: one key in three. Together with
 * `clockWithinSkew`, within the stated skew.
 */
export const producedAtWithinSkew: fc.Arbitrary<number> = oneIn(3, fc.integer({ min: -400, max: 400 })).map(
  (offMs) => offMs ?? 0,
)

/** Redis's clock is off from the beginning. */
export function redisClockOff(byMs: number): PlannedFault {
  return { kind: 'clock-step', when: { at: 'time', ms: 0 }, machine: -1, byMs }
}

/**
 * In one plan of three Redis's clock is off, mostly behind: its data then seem younger than they
 * are.
 */
export const clockWithinSkew: fc.Arbitrary<PlannedFault[]> = oneIn(
  3,
  fc.oneof({ weight: 3, arbitrary: fc.integer({ min: -590, max: -100 }) }, fc.integer({ min: 100, max: 590 })),
).map((byMs) => (byMs === undefined ? [] : [redisClockOff(byMs)]))

/** What a scenario that draws these assumes. */
export const withinSkewText =
  'the clocks that set produced-at times and that of Redis are within a second of each other'
