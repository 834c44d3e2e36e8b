import type { ExitCode } from '../api/exit-codes.ts'
import type { SinkKind } from '../api/sink.ts'
import type { PairResult, ViolationResult } from './results.ts'

/** A row or a column of a configuration search. */
export interface ConfigurationSearchHead {
  readonly id: string
  /** Short, for a table. */
  readonly title: string
  /** One sentence. */
  readonly about: string
}

export type ConfigurationSearchVerdict = 'holds' | 'breaks' | 'unknown' | 'error' | 'n/a'

/** One layer on one Redis configuration under one kind of loss. */
export interface ConfigurationSearchCell {
  /** Ids of its row and its column. */
  readonly configuration: string
  readonly loss: string
  readonly verdict: ConfigurationSearchVerdict
  /** Why it does not hold, or why there is nothing to try; null if it holds. */
  readonly reason: string | null
  /**
   * How it breaks, with the token: a run that broke by the loss of the column if one was found,
   * otherwise the most severe.
   */
  readonly violation: ViolationResult | null
  /**
   * Runs, goals and everything else that the verdict is based on; null if there was nothing to try.
   */
  readonly pair: PairResult | null
}

/** One layer on every Redis configuration. */
export interface ConfigurationSearchLayer {
  readonly implementation: string
  readonly expect: 'holds' | 'broken'
  /**
   * By row, then column. Rows that vary the number of replicas to wait for are omitted if the layer
   * waits for none.
   */
  readonly cells: readonly ConfigurationSearchCell[]
  /** Rows in which it holds in every column. */
  readonly safeOn: readonly string[]
  /** The first of them: the weakest Redis on which it is safe. Null if it is safe on none. */
  readonly weakest: string | null
  /**
   * For each column, the weakest Redis on which the layer survives the loss; null if there is none.
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
  /** The columns. */
  readonly losses: readonly ConfigurationSearchHead[]
  readonly layers: readonly ConfigurationSearchLayer[]
  /** The check-then-act layer, run last: if it does not break, the harness is broken. */
  readonly control: PairResult | null
  readonly timings: { readonly totalMs: number; readonly workers: number }
}
