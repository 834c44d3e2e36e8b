/** How long time limits must be: what `tune --json` prints. */
import type { ExitCode } from '../api/exit-codes.ts'
import type { SinkKind } from '../api/sink.ts'
import type { PairResult, ViolationResult } from './results.ts'

/** The time limits that a layer is handed (`leaseMs`, `retentionMs`). */
export type TimeLimit = 'lease' | 'retention'

/** What a time limit must outlast, in virtual milliseconds: the longest of each. */
export interface WorstCase {
  /** How long the sink works on one effect. */
  readonly workMs: number
  /** How long a consumer stands still, once in a run. */
  readonly pauseMs: number
  /** How far one clock jumps, once in a run. */
  readonly skewMs: number
  /** How long after its message a copy turns up. */
  readonly redeliveryMs: number
}

export type TuneVerdict = 'holds' | 'breaks' | 'unknown' | 'error'

/** A layer with one value of a time limit. */
export interface TuneRung {
  readonly valueMs: number
  readonly verdict: TuneVerdict
  /** Why it does not hold; null where it does. */
  readonly reason: string | null
  readonly runs: number
  /** Of these runs. */
  readonly runsBroken: number
  /** How it breaks, with the token. The one that decides the answer is shrunk. */
  readonly violation: ViolationResult | null
  /** Runs, goals and all else that the verdict rests on; null where it was interrupted before. */
  readonly pair: PairResult | null
}

/** One time limit of one layer. */
export interface TunedLimit {
  readonly limit: TimeLimit
  /** What it has to outlast. */
  readonly worstCase: Partial<WorstCase>
  /** From the shortest to the longest. */
  readonly rungs: readonly TuneRung[]
  /**
   * The smallest value tried that holds, as all longer ones do; null where the longest does not.
   */
  readonly holdsFromMs: number | null
  /**
   * The next smaller one, or, where none holds, the longest; null where the smallest tried holds.
   */
  readonly refutedMs: number | null
}

export interface TunedLayer {
  readonly implementation: string
  readonly expect: 'holds' | 'broken'
  readonly limits: readonly TunedLimit[]
}

/** Nothing outside `timings` depends on when or where it ran. */
export interface TuneResults {
  readonly schemaVersion: 1
  readonly tool: string
  readonly node: string
  readonly seed: number
  readonly sink: SinkKind
  readonly worstCase: WorstCase
  readonly interrupted: boolean
  readonly exitCode: ExitCode
  readonly layers: readonly TunedLayer[]
  /** The check-then-act layer, run last: it must break, or the harness is broken. */
  readonly control: PairResult | null
  readonly timings: { readonly totalMs: number; readonly workers: number }
}
