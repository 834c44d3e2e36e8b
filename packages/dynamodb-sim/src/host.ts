import type { OperationName } from './operations/names.ts'

/** What befalls a request in place of being served, or on top of it. */
export type Fault =
  /** ProvisionedThroughputExceededException, HTTP 400: nothing was done. */
  | 'throttled'
  /** InternalServerError, HTTP 500: nothing was done. */
  | 'failed'
  /** InternalServerError, HTTP 500: it was done all the same. */
  | 'failed-after'
  /**
   * Another transaction has one of the items: TransactionConflict. Only writes and transactions.
   */
  | 'conflict'

/**
 * What the tables ask of the world that they stand in. All of their time and chance comes from
 * here.
 */
export interface TablesHost {
  /** Unix time in milliseconds by the service's clock. */
  nowMs(): number
  /**
   * An integer in [0, n). `what` names the choice; 0 is the ordinary case wherever there is one.
   */
  chance(what: string, n: number): number
  /**
   * Something that the real service would take and this one does not, by name: the run's verdict
   * can be no pass.
   */
  unsupported(what: string): void
  /**
   * Something was answered that no independent judge has compared, by name: a verdict that rests on
   * it is unknown.
   */
  unjudged(what: string): void
  /** Asked once for each request that is in order; without it, every request is served. */
  fault?(request: { readonly operation: OperationName; readonly tables: readonly string[] }): Fault | null
  /** A read missed a write: what it would have been answered if it had been consistent, as JSON. */
  missed?(consistent: string): void
  /**
   * Time to live deleted an item: its table, and the values of its key, with a space between them.
   */
  expired?(table: string, key: string): void
}
