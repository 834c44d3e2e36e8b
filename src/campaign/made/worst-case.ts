/** How bad a worst case may be said to be. */
import type { WorstCase } from '../../contract/results/tune.ts'

/** Where a user says nothing else. */
export const usualWorst: WorstCase = { workMs: 1000, pauseMs: 2000, skewMs: 250, redeliveryMs: 60_000 }

/**
 * There is some work, and a copy comes when its message was dealt with; consumers need not stand
 * still, nor clocks jump.
 */
export const leastWorst: WorstCase = { workMs: 1, pauseMs: 0, skewMs: 0, redeliveryMs: 1000 }

/** Runs end after four days, which four times the longest stays within. */
export const mostWorst: WorstCase = { workMs: 600_000, pauseMs: 600_000, skewMs: 600_000, redeliveryMs: 72_000_000 }

export function isPlayable(worst: WorstCase): boolean {
  return (Object.keys(worst) as (keyof WorstCase)[]).every(
    (part) => worst[part] >= leastWorst[part] && worst[part] <= mostWorst[part],
  )
}
