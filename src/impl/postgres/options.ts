import type { OnceOptions, SinkRules } from '../options.ts'
import type { PgPool } from './pool.ts'

/**
 * Options of a layer with records in PostgreSQL. The options of `OnceOptions` have the same meaning
 * here.
 */
export interface OnPostgres<Pool extends PgPool> {
  /**
   * A Pool of `pg`. Each of its clients is used for one transaction and released unchanged; a
   * client with a late answer is closed. If the effect is rows, a run keeps one client for its
   * duration; otherwise it uses one for each statement.
   */
  readonly pool: Pool
  /**
   * True if every standby that could be promoted has each commit before the commit is answered
   * (`synchronous_standby_names`), so a promotion loses nothing. Default false: a promotion counts
   * as a loss of data, and so does a recovery from an archive. On a `plain` sink, messages that
   * were produced before the loss and have no record are then in doubt.
   */
  readonly synchronousStandby?: boolean
}

/**
 * The effect is a request to another system: its record is begun before and completed after it.
 * @example
 * ```ts
 * import { createOnce, type OncePostgresOptions } from 'onceproof/once'
 *
 * const onceOn = (options: OncePostgresOptions) =>
 *   createOnce({ ...options, sink: { kind: 'keyed' }, isRefusal: () => false })
 * ```
 */
export type OncePostgresOptions<Pool extends PgPool = PgPool> = OnPostgres<Pool> &
  Omit<OnceOptions, 'redis' | 'replicas' | 'allowMinority' | 'buckets' | 'keyPrefix'> & { readonly redis?: never }

/**
 * The effect is rows of the same database, written in the transaction of the record, so both
 * exist or neither. `leaseMs` is how long a holder may be silent before the server ends its
 * transaction.
 * @example
 * ```ts
 * import type { OnceTransactionOptions } from 'onceproof/once'
 * import pg from 'pg'
 *
 * const options: OnceTransactionOptions<pg.Pool> = {
 *   pool: new pg.Pool({ database: 'payments' }),
 *   leaseMs: 10_000,
 *   retentionMs: 86_400_000,
 *   sink: { kind: 'transactional' },
 *   isRefusal: (error) => error instanceof RangeError,
 * }
 * ```
 */
export type OnceTransactionOptions<Pool extends PgPool = PgPool> = Omit<OnPostgres<Pool>, 'synchronousStandby'> &
  Pick<
    OnceOptions,
    'leaseMs' | 'retentionMs' | 'maxClockSkewMs' | 'isRefusal' | 'onEvent' | 'logger' | 'telemetry' | 'namespace'
  > & {
    readonly redis?: never
    readonly sink: { readonly kind: 'transactional' }
  }

export type AnySink = SinkRules | OnceTransactionOptions['sink']
