/** The JSON that `tune --json` prints. It shows how long time limits must be. */
import type { ExitCode } from '../api/exit-codes.ts'
import type { SinkKind } from '../api/sink.ts'
import type { PairResult, ViolationResult } from './results.ts'

/** The time limits that a layer gets (`leaseMs`, `retentionMs`). */
export type TimeLimit = 'lease' | 'retention'

/** The longest delays that a time limit must outlast, in virtual milliseconds. */
export interface WorstCase {
  /** How long the sink works on one effect. */
  readonly workMs: number
  /** How long a consumer pauses, once in a run. */
  readonly pauseMs: number
  /** How far one clock jumps, once in a run. */
  readonly skewMs: number
  /** How long after its message a copy of the message arrives. */
  readonly redeliveryMs: number
}

export type TuneVerdict = 'holds' | 'breaks' | 'unknown' | 'error'

/** A layer with one value of a time limit. */
export interface TuneRung {
  readonly valueMs: number
  readonly verdict: TuneVerdict
  /** Why the layer does not hold with this value; null if it holds. */
  readonly reason: string | null
  readonly runs: number
  /** How many of these runs broke. */
  readonly runsBroken: number
  /** How the layer breaks, with the token. Only the violation that decides the result is shrunk. */
  readonly violation: ViolationResult | null
  /**
   * Runs, goals and everything else that the verdict is based on; null if the search was
   * interrupted before this value was played.
   */
  readonly pair: PairResult | null
}

/** One time limit of one layer. */
export interface TunedLimit {
  readonly limit: TimeLimit
  /** The delays that the limit must outlast. */
  readonly worstCase: Partial<WorstCase>
  /** The tried values, from the shortest to the longest. */
  readonly rungs: readonly TuneRung[]
  /**
   * The smallest tried value with which, as with all longer tried values, the layer holds. Null if
   * the layer does not hold with the longest value.
   */
  readonly holdsFromMs: number | null
  /**
   * The next smaller tried value, or the longest if `holdsFromMs` is null. Null if `holdsFromMs` is
   * the smallest tried value.
   */
  readonly refutedMs: number | null
}

export interface TunedLayer {
  readonly implementation: string
  readonly expect: 'holds' | 'broken'
  readonly limits: readonly TunedLimit[]
}

/** The results of `tune`. Only `timings` depends on the machine and the time. */
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
  /** The check-then-act layer, which is run last. If it does not break, the harness is faulty. */
  readonly control: PairResult | null
  readonly timings: { readonly totalMs: number; readonly workers: number }
}
