/**
 * The values of a time limit that are tried: round values, from far below to far above the duration
 * that the limit must outlast.
 */
import type { WorstCase } from '../../contract/results/tune.ts'
import type { Limit } from './limit.ts'

const digits = [1, 1.5, 2, 3, 4, 6, 8]
/** The shortest value, as a share of the total duration that the limit must outlast. */
const shortest = 1 / 16
/**
 * The longest value, as a multiple of the total duration. If a layer breaks with this value, a
 * longer one does not help.
 */
const longest = 4
/** The shortest lease that the reference accepts. */
const leastMs = 10

/** The values in milliseconds, ascending. */
export function valuesTried({ outlasts }: Limit, worst: WorstCase): number[] {
  const allMs = outlasts.reduce((sum, part) => sum + worst[part], 0)
  const rungs: number[] = []
  for (let ten = leastMs; ; ten *= 10)
    for (const digit of digits) {
      const ms = ten * digit
      if (ms >= allMs * shortest) rungs.push(ms)
      if (ms >= Math.max(allMs * longest, leastMs * longest)) return rungs
    }
}
