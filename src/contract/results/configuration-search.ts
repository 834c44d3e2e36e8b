import type { ExitCode } from '../api/exit-codes.ts'
import type { SinkKind } from '../api/sink.ts'
import type { PairResult, ViolationResult } from './results.ts'

/** A row or a column of a configuration search. */
export interface ConfigurationSearchHead {
  readonly id: string
  /** As short as a table wants it. */
  readonly title: string
  /** One sentence. */
  readonly about: string
}

export type ConfigurationSearchVerdict = 'holds' | 'breaks' | 'unknown' | 'error' | 'n/a'

/** One layer on one Redis that suffers one thing. */
export interface ConfigurationSearchCell {
  /** Ids of its row and its column. */
  readonly configuration: string
  readonly loss: string
  readonly verdict: ConfigurationSearchVerdict
  /** Why it does not hold, or why there is nothing to try; null where it holds. */
  readonly reason: string | null
  /**
   * How it breaks, with the token: by what the column is about if such a run was found, else the
   * gravest.
   */
  readonly violation: ViolationResult | null
  /** Runs, goals and all else that the verdict rests on; null where there was nothing to try. */
  readonly pair: PairResult | null
}

/** One layer on every Redis. */
export interface ConfigurationSearchLayer {
  readonly implementation: string
  readonly expect: 'holds' | 'broken'
  /**
   * By row, then column. Rows about how many replicas a layer waits for are left out where it waits
   * for none.
   */
  readonly cells: readonly ConfigurationSearchCell[]
  /** Rows in which it holds, whatever happens there. */
  readonly safeOn: readonly string[]
  /** The first of them: the weakest Redis on which it is safe. Null where it is safe on none. */
  readonly weakest: string | null
  /**
   * For each column, the weakest Redis on which the layer survives that; null where it does on
   * none.
   */
  readonly weakestFor: { readonly [loss: string]: string | null }
}

/**
 * What `configurations --json` prints. Nothing outside `timings` depends on when or where it ran.
 */
export interface ConfigurationSearchResults {
  readonly schemaVersion: 1
  readonly tool: string
  readonly node: string
  readonly seed: number
  readonly sink: SinkKind
  readonly interrupted: boolean
  readonly exitCode: ExitCode
  /** The rows: from the Redis that loses most to the one that loses least. */
  readonly configurations: readonly ConfigurationSearchHead[]
  /** The columns. */
  readonly losses: readonly ConfigurationSearchHead[]
  readonly layers: readonly ConfigurationSearchLayer[]
  /** The check-then-act layer, run last: it must break, or the harness is broken. */
  readonly control: PairResult | null
  readonly timings: { readonly totalMs: number; readonly workers: number }
}
