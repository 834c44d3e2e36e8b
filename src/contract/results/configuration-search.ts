import type { ExitCode } from '../api/exit-codes.ts'
import type { SinkKind } from '../api/sink.ts'
import type { PairResult, ViolationResult } from './results.ts'

/** A row or a column of a configuration search. */
export interface ConfigurationSearchHead {
  readonly id: string
  /** A short name for a table. */
  readonly title: string
  /** A description in one sentence. */
  readonly about: string
}

export type ConfigurationSearchVerdict = 'holds' | 'breaks' | 'unknown' | 'error' | 'n/a'

/** One layer on one Redis configuration under one kind of loss. */
export interface ConfigurationSearchCell {
  /** The ids of the cell's row and column. */
  readonly configuration: string
  readonly loss: string
  readonly verdict: ConfigurationSearchVerdict
  /** Why the layer does not hold, or why the cell does not apply to it; null if the layer holds. */
  readonly reason: string | null
  /**
   * How the layer breaks, with the token: a run that broke because of the loss of the column if one
   * was found, otherwise the run with the most severe violation.
   */
  readonly violation: ViolationResult | null
  /**
   * Runs, goals and everything else that the verdict is based on; null if the cell does not apply
   * to the layer.
   */
  readonly pair: PairResult | null
}

/** One layer on every Redis configuration. */
export interface ConfigurationSearchLayer {
  readonly implementation: string
  readonly expect: 'holds' | 'broken'
  /**
   * The cells by row, then by column. Rows that vary the number of replicas to wait for are omitted
   * if the layer waits for none.
   */
  readonly cells: readonly ConfigurationSearchCell[]
  /** The rows in which the layer holds in every column. */
  readonly safeOn: readonly string[]
  /**
   * The first row of `safeOn`: the weakest Redis on which the layer is safe. Null if it is safe on
   * none.
   */
  readonly weakest: string | null
  /**
   * For each column, the weakest Redis on which the layer survives the loss; null if it
   * survives on none of them.
   */
  readonly weakestFor: { readonly [loss: string]: string | null }
}

/**
 * The JSON that `configurations --json` prints. Only `timings` depends on the machine and the time.
 */
export interface ConfigurationSearchResults {
  readonly schemaVersion: 1
  readonly tool: string
  readonly node: string
  readonly seed: number
  readonly sink: SinkKind
  readonly interrupted: boolean
  readonly exitCode: ExitCode
  /** The rows: from the Redis that loses the most data to the one that loses the least. */
  readonly configurations: readonly ConfigurationSearchHead[]
  /** The columns: the kinds of loss. */
  readonly losses: readonly ConfigurationSearchHead[]
  readonly layers: readonly ConfigurationSearchLayer[]
  /** The check-then-act layer, which is run last. If it does not break, the harness is faulty. */
  readonly control: PairResult | null
  readonly timings: { readonly totalMs: number; readonly workers: number }
}
