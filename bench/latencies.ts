/** How long each of many operations takes, if a number of them are under way at a time. */
import { median } from './spread.ts'

export const atOnce = [1, 16, 64] as const

/** Milliseconds of one operation, with `atOnce` of them under way; medians over the rounds. */
export interface Latency {
  readonly atOnce: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** The shortest first. `run` gets the number of the operation and of its lane. */
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

/** Of rounds, each with its times in order. */
export function latencyOf(width: number, rounds: readonly (readonly number[])[]): Latency {
  const of = (share: number) => median(rounds.map((times) => quantile(times, share)))
  return { atOnce: width, p50Ms: of(0.5), p99Ms: of(0.99) }
}

/** Of numbers in order. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}
