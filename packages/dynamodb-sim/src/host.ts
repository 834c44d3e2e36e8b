import type { OperationName } from './operations/names.ts'

/** A fault of one request. */
export type Fault =
  /** ProvisionedThroughputExceededException, HTTP 400. The request was not executed. */
  | 'throttled'
  /** InternalServerError, HTTP 500. The request was not executed. */
  | 'failed'
  /** InternalServerError, HTTP 500, although the request was executed. */
  | 'failed-after'
  /**
   * Another transaction uses one of the items: TransactionConflict. Only for writes and
   * transactions.
   */
  | 'conflict'

/** The environment of the tables. All of their time and randomness comes from here. */
export interface TablesHost {
  /** The service's clock: Unix time in milliseconds. */
  nowMs(): number
  /** A random integer in [0, n). `what` names the choice. 0 is the normal case if there is one. */
  chance(what: string, n: number): number
  /**
   * Called with the name of a feature of the real service that is not simulated, so the run cannot
   * pass.
   */
  unsupported(what: string): void
  /**
   * Called with the name of a behavior that no independent judge has compared. A verdict that
   * depends on it is unknown.
   */
  unjudged(what: string): void
  /** Called once for each valid request. If it is missing, there are no faults. */
  fault?(request: { readonly operation: OperationName; readonly tables: readonly string[] }): Fault | null
  /** A read missed a write. `consistent` is the answer of a consistent read, as JSON. */
  missed?(consistent: string): void
  /** Time to live deleted an item. `key` contains the values of its key, separated by a space. */
  expired?(table: string, key: string): void
}
