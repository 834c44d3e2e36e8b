/** Limits of the worst case that a user may specify. */
import type { WorstCase } from '../../contract/results/tune.ts'

/** The default worst case. */
export const usualWorst: WorstCase = { workMs: 1000, pauseMs: 2000, skewMs: 250, redeliveryMs: 60_000 }

/**
 * The minimum of each part. Work must take some time, and a copy must be able to arrive after its
 * message was handled. Pauses and clock steps may be absent.
 */
export const leastWorst: WorstCase = { workMs: 1, pauseMs: 0, skewMs: 0, redeliveryMs: 1000 }

/**
 * The maximum of each part. Four times the longest part is less than four days, the maximum
 * duration of a run.
 */
export const mostWorst: WorstCase = { workMs: 600_000, pauseMs: 600_000, skewMs: 600_000, redeliveryMs: 72_000_000 }

export function isPlayable(worst: WorstCase): boolean {
  return (Object.keys(worst) as (keyof WorstCase)[]).every(
    (part) => worst[part] >= leastWorst[part] && worst[part] <= mostWorst[part],
  )
}
