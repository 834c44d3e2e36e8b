/** What the bench found: the shape of `--json` (docs/benchmarks.md), and what the table is printed from. */
import type { ExitCode } from '../src/contract/results.ts'

export const contenderNames = ['simulator', 'scheduler-with-mock', 'real-redis'] as const
export type ContenderName = (typeof contenderNames)[number]

export interface ContenderResult {
  readonly name: ContenderName
  /** Median over the rounds, and what it was taken from. */
  readonly runsPerSecond: number
  readonly runsPerSecondOfRounds: readonly number[]
  readonly cpuMsPerRun: number
  readonly deliveriesPerRun: number
  readonly runsPerRound: number
  readonly repeatedRuns: number
}

/** How many times as fast the simulator is as a peer: the median of the rounds' own ratios. */
export interface RatioResult {
  readonly peer: ContenderName
  readonly ratio: number
  readonly aim: number
  readonly met: boolean
}

export interface CostResult {
  readonly name: string
  /** Microseconds, median over the rounds. */
  readonly us: number
  /** The same by what a user would use instead. `ratio`: how many times as fast ours is, the median of the rounds' own. */
  readonly peer?: {
    readonly name: string
    readonly us: number
    readonly ratio: number
    /** Null where none was set. */
    readonly aim: number | null
    readonly met: boolean
  }
}

export interface MemoryReading {
  readonly runs: number
  readonly rssMb: number
  /** After a full collection. */
  readonly heapUsedMb: number
}

export interface MemoryResult {
  readonly readings: readonly MemoryReading[]
  readonly peakRssMb: number
  readonly flat: boolean
}

export interface BenchResults {
  readonly schemaVersion: 1
  readonly node: string
  readonly quick: boolean
  readonly rounds: number
  readonly exitCode: ExitCode
  readonly contenders: readonly ContenderResult[]
  readonly ratios: readonly RatioResult[]
  readonly costs: readonly CostResult[]
  readonly memory: MemoryResult
  readonly skipped: readonly { readonly name: string; readonly reason: string }[]
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
