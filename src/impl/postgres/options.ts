import type { OnceOptions, SinkRules } from '../options.ts'
import type { PgPool } from './pool.ts'

/**
 * Options of a layer that keeps its records in PostgreSQL: those of `OnceOptions` mean here what
 * they mean there.
 */
export interface OnPostgres<Pool extends PgPool> {
  /**
   * A Pool of `pg`. Its clients are used, each for one transaction, and given back as they were;
   * one on which an answer was late is closed. A run in which the effect is rows has one for as
   * long as it takes; another one has one for a statement at a time.
   */
  readonly pool: Pool
  /**
   * Every standby that could take the server's place has each commit before it is answered
   * (`synchronous_standby_names`), so that a promotion loses nothing. Default false: a promotion
   * counts as a loss, as does a recovery from an archive, and messages from before it that have no
   * record are in doubt on a `plain` sink.
   */
  readonly synchronousStandby?: boolean
}

/**
 * The effect is a request to somebody else: the record is begun before it, and completed after it.
 */
export type OncePostgresOptions<Pool extends PgPool = PgPool> = OnPostgres<Pool> &
  Omit<OnceOptions, 'redis' | 'replicas' | 'allowMinority' | 'buckets'> & { readonly redis?: never }

/**
 * The effect is rows of the same database, written in the transaction of the record: both are
 * there, or neither is. `leaseMs` is how long a holder may be silent towards the server before that
 * ends its transaction.
 */
export type OnceTransactionOptions<Pool extends PgPool = PgPool> = Omit<OnPostgres<Pool>, 'synchronousStandby'> &
  Pick<OnceOptions, 'leaseMs' | 'retentionMs' | 'maxClockSkewMs' | 'isRefusal' | 'onEvent'> & {
    readonly redis?: never
    readonly sink: { readonly kind: 'transactional' }
  }

export type AnySink = SinkRules | OnceTransactionOptions['sink']
