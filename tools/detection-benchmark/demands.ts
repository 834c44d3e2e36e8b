/**
 * How many runs a scenario has to play so that what it is known to catch is caught on every seed of
 * a detection benchmark.
 */
import { type BenchmarkRow, type DetectionBenchmark, rowKey } from './compare.ts'

/**
 * No scenario was ever asked for more by default; what takes longer on some seed is left to
 * `canaries`.
 */
export const mostMinimumRuns = 250

/** A row of the benchmark, and how many runs its worst seed took. */
export interface Demand {
  readonly row: string
  readonly runs: number
}

/**
 * Of each scenario that catches anything, the row that demands most. What is caught in one scenario
 * demands no other.
 */
export function demandsOf({ rows }: DetectionBenchmark): ReadonlyMap<string, Demand> {
  const most = new Map<string, Demand>()
  for (const row of rows) {
    const runs = worstOf(row)
    const [scenario] = row.scenarios
    if (scenario === undefined || runs === null || runs > mostMinimumRuns) continue
    if (runs > (most.get(scenario)?.runs ?? 0)) most.set(scenario, { row: rowKey(row), runs })
  }
  return most
}

/** Rows that are caught on every seed, and on some only in more than `mostMinimumRuns`. */
export function beyondMinimum({ rows }: DetectionBenchmark): Demand[] {
  return rows.flatMap((row) => {
    const runs = worstOf(row)
    return runs === null || runs <= mostMinimumRuns ? [] : [{ row: rowKey(row), runs }]
  })
}

/** Null where some seed missed it. */
function worstOf({ runs }: BenchmarkRow): number | null {
  return runs.reduce((most, n) => (most === null || n === null ? null : Math.max(most, n)), 0 as number | null)
}
