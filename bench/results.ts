/**
 * The results of the bench: the shape of `--json` (docs/findings/benchmarks.md), and the input of
 * the table.
 */
import type { ExitCode } from '../src/contract/api/exit-codes.ts'
import type { AgainstResult } from './against/against.ts'
import type { CommandRow } from './commands/compare-commands.ts'
import type { FirstAnswer } from './commands/first-answer.ts'
import type { LayerRate } from './layer-rates.ts'
import type { GrowthResult } from './memory-growth.ts'
import type { GuardCost } from './once/overhead.ts'
import type { RealRedisResults } from './real-redis/measure.ts'
import type { SizesResult } from './scaling/sizes.ts'
import type { WorkersResult } from './scaling/workers.ts'
import type { ScenarioCost } from './scenario-costs.ts'
import type { StoreRates } from './stores/store-rates.ts'

export const contenderNames = ['simulator', 'canned-replies', 'scheduler-with-mock', 'real-redis'] as const
export type ContenderName = (typeof contenderNames)[number]

export interface ContenderResult {
  readonly name: ContenderName
  /** The median over the rounds, and the values of the rounds. */
  readonly runsPerSecond: number
  readonly runsPerSecondOfRounds: readonly number[]
  readonly cpuMsPerRun: number
  readonly deliveriesPerRun: number
  readonly runsPerRound: number
  readonly repeatedRuns: number
}

/** The simulator's rate divided by the rate of a peer: the median of the ratios of the rounds. */
export interface RatioResult {
  readonly peer: ContenderName
  readonly ratio: number
  readonly aim: number
  readonly met: boolean
}

/**
 * The CPU time of a simulated run divided by the CPU time of the client alone: the median of the
 * ratios of the rounds.
 */
export interface FloorResult {
  readonly ratio: number
  readonly aim: number
  readonly met: boolean
}

export interface CostResult {
  readonly name: string
  /** Microseconds, median over the rounds. */
  readonly us: number
  /**
   * The same operation by an alternative. `ratio`: how many times as fast as the alternative our
   * operation is, the median over the rounds.
   */
  readonly peer?: {
    readonly name: string
    readonly us: number
    readonly ratio: number
    /** The aim for `ratio`; null if the benchmark has no aim. */
    readonly aim: number | null
    readonly met: boolean
  }
}

export interface MemoryReading {
  readonly runs: number
  readonly rssMb: number
  /** The heap after a full garbage collection. */
  readonly heapUsedMb: number
}

export interface MemoryResult {
  readonly readings: readonly MemoryReading[]
  readonly peakRssMb: number
  readonly flat: boolean
}

/** The measurements of `pnpm bench` without options. */
export interface PeerResults {
  readonly contenders: readonly ContenderResult[]
  readonly ratios: readonly RatioResult[]
  readonly floor: FloorResult
  readonly costs: readonly CostResult[]
  readonly memory: MemoryResult
  readonly skipped: readonly { readonly name: string; readonly reason: string }[]
}

/** The measurements that options of `pnpm bench` select. */
export interface AskedResults {
  readonly against: AgainstResult
  readonly commands: readonly CommandRow[]
  readonly scaling: SizesResult & { readonly workers: WorkersResult }
  readonly growth: readonly GrowthResult[]
  readonly scenarioCosts: readonly ScenarioCost[]
  readonly firstAnswers: readonly FirstAnswer[]
  readonly guards: readonly GuardCost[]
  readonly realRedis: RealRedisResults
  readonly clients: readonly LayerRate[]
  readonly stores: StoreRates
}

export interface BenchResults extends Partial<PeerResults>, Partial<AskedResults> {
  readonly schemaVersion: 1
  readonly node: string
  readonly quick: boolean
  readonly rounds: number
  readonly exitCode: ExitCode
}
