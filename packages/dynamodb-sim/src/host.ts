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
   * TransactionConflict: another transaction uses one of the items. Only for writes and
   * transactions.
   */
  | 'conflict'

/** The environment of the tables. It provides all time and randomness. */
export interface TablesHost {
  /** The service's clock: Unix time in milliseconds. */
  nowMs(): number
  /**
   * A random integer in [0, n). `what` names the choice. If a choice has a normal case, that case
   * is 0.
   */
  chance(what: string, n: number): number
  /**
   * Called with the name of a feature of the real service that is not simulated. A run that uses
   * such a feature cannot pass.
   */
  unsupported(what: string): void
  /**
   * Called with the name of a behavior that was never compared with an independent implementation.
   * A verdict that depends on this behavior is unknown.
   */
  unjudged(what: string): void
  /**
   * Called once for each valid request; returns the fault of the request. Without this function,
   * there are no faults.
   */
  fault?(request: { readonly operation: OperationName; readonly tables: readonly string[] }): Fault | null
  /**
   * Called when a read missed a write. `consistent` is the answer that a consistent read would have
   * returned, as JSON.
   */
  missed?(consistent: string): void
  /**
   * Called when time to live deleted an item. `key` contains the values of the item's key,
   * separated by a space.
   */
  expired?(table: string, key: string): void
}
