/**
 * The values of a time limit that are tried: round ones, from far below to far above what the limit
 * has to outlast.
 */
import type { WorstCase } from '../../contract/results/tune.ts'
import type { Limit } from './limit.ts'

const digits = [1, 1.5, 2, 3, 4, 6, 8]
/** Shares of all that a limit has to outlast, together. */
const shortest = 1 / 16
/** A layer that breaks with this many times the sum is not mended by a longer limit. */
const longest = 4
/** The shortest lease that the reference takes. */
const leastMs = 10

/** From the shortest to the longest, in milliseconds. */
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
