/**
 * The rows of a detection benchmark, and the check that a later benchmark does not miss more bugs.
 */

/**
 * One layer in some scenarios. `runs` and `seconds` have an entry for each seed from 1 on; null if
 * the layer was missed on that seed.
 */
export interface BenchmarkRow {
  readonly layer: string
  readonly scenarios: readonly string[]
  readonly mostRuns: number
  readonly runs: readonly (number | null)[]
  readonly seconds: readonly number[]
}

export interface DetectionBenchmark {
  readonly seeds: number
  readonly rows: readonly BenchmarkRow[]
}

export function rowKey({ layer, scenarios }: Pick<BenchmarkRow, 'layer' | 'scenarios'>): string {
  return `${layer} × ${scenarios.join(', ')}`
}

/** Compares two benchmarks. `worse`: a row misses more of the common seeds, or is missing. */
export function compareBenchmarks(
  frozen: DetectionBenchmark,
  now: DetectionBenchmark,
): { lines: readonly string[]; worse: boolean } {
  const seeds = Math.min(frozen.seeds, now.seeds)
  const before = new Map(frozen.rows.map((row) => [rowKey(row), row]))
  const lines: string[] = []
  const ratios: number[] = []
  let worse = false
  for (const row of now.rows) {
    const old = before.get(rowKey(row))
    if (old === undefined) continue
    const [missed, missedBefore] = [row, old].map(
      ({ runs }) => runs.slice(0, seeds).filter((n) => n === null).length,
    ) as [number, number]
    if (missed > missedBefore) {
      worse = true
      lines.push(
        `worse: ${rowKey(row)} missed on ${missed} of ${seeds} seeds; ${missedBefore} when the benchmark was frozen`,
      )
    } else if (missed === 0 && missedBefore === 0)
      ratios.push(median(row.runs.slice(0, seeds)) / median(old.runs.slice(0, seeds)))
  }
  ratios.sort((a, b) => a - b)
  const shown =
    ratios.length === 0
      ? ''
      : `; runs to the first detection, beside the frozen benchmark: median ${at(ratios, 0.5)} x, worst tenth from ${at(ratios, 0.9)} x`
  lines.push(`${now.rows.length} rows, ${seeds} seeds: ${worse ? 'a miss rate rose' : 'no miss rate rose'}${shown}`)
  return { lines, worse }
}

function median(runs: readonly (number | null)[]): number {
  const sorted = runs.filter((n) => n !== null).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(2)
}
