/** The latency of operations at several degrees of concurrency. */
import { median } from './spread.ts'

export const atOnce = [1, 16, 64] as const

/**
 * The latency of one operation in milliseconds, with `atOnce` operations in flight; medians over
 * the rounds.
 */
export interface Latency {
  readonly atOnce: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/**
 * Measures `count` operations, with `width` operations in flight. Returns their times in
 * milliseconds, in ascending order. `run` gets the number of the operation and the number of its
 * lane.
 */
export async function timesOf(
  run: (n: number, lane: number) => Promise<unknown>,
  count: number,
  width: number,
): Promise<number[]> {
  const times: number[] = []
  let next = 0
  const lane = async (_: unknown, at: number) => {
    while (next < count) {
      const n = next++
      const sinceMs = performance.now()
      await run(n, at)
      times.push(performance.now() - sinceMs)
    }
  }
  await Promise.all(Array.from({ length: width }, lane))
  return times.sort((a, b) => a - b)
}

/** `rounds`: the sorted times of each round. */
export function latencyOf(width: number, rounds: readonly (readonly number[])[]): Latency {
  const of = (share: number) => median(rounds.map((times) => quantile(times, share)))
  return { atOnce: width, p50Ms: of(0.5), p99Ms: of(0.99) }
}

/** Returns the given quantile. `sorted`: in ascending order. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}
