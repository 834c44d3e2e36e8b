/**
 * Computes how many runs a scenario must play to catch its known bugs on every seed of a detection
 * benchmark.
 */
import { type BenchmarkRow, type DetectionBenchmark, rowKey } from './compare.ts'

/**
 * The maximum of a scenario's `minimumRuns`. Bugs that need more runs on some seed are only checked
 * by `canaries`.
 */
export const mostMinimumRuns = 250

/** A row of the benchmark, and the number of runs that it needs on its worst seed. */
export interface Demand {
  readonly row: string
  readonly runs: number
}

/** For each scenario, the row with the highest demand. A row counts only for its first scenario. */
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

/** Rows that are caught on every seed, but on some only after more than `mostMinimumRuns` runs. */
export function beyondMinimum({ rows }: DetectionBenchmark): Demand[] {
  return rows.flatMap((row) => {
    const runs = worstOf(row)
    return runs === null || runs <= mostMinimumRuns ? [] : [{ row: rowKey(row), runs }]
  })
}

/** The number of runs on the worst seed; null if the row was missed on a seed. */
function worstOf({ runs }: BenchmarkRow): number | null {
  return runs.reduce((most, n) => (most === null || n === null ? null : Math.max(most, n)), 0 as number | null)
}
