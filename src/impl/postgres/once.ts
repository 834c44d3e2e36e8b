/** The layer on PostgreSQL: `createOnce` with a pool. */
import { reported } from '../events.ts'
import { type KeyStatus, statusOf } from '../key-status.ts'
import type { Layer } from '../layer.ts'
import { needIsRefusal, needType, optionsAnywhere, type Settings, type Store, settingsOf } from '../options.ts'
import type { RunOutcome } from '../outcome.ts'
import { keysOf } from '../records.ts'
import type { OnceMessage } from '../work.ts'
import { PostgresLookup } from './lookup.ts'
import type { AnySink, OncePostgresOptions, OnceTransactionOptions } from './options.ts'
import { type ClientOf, needPool, type PgPool } from './pool.ts'
import { PostgresRecords, silence } from './records.ts'
import { Sessions } from './sessions.ts'
import { tablesOf } from './sql.ts'
import { type EffectInTransaction, Transactions } from './transaction.ts'
import { transitions } from './transitions.ts'

/**
 * The outcome of `prune`, which deletes records that are older than the retention.
 * @example
 * ```ts
 * import type { Pruned } from 'onceproof/once'
 *
 * const textOf = (pruned: Pruned): string =>
 *   pruned.status === 'pruned' ? `${pruned.records} records` : 'not now'
 * ```
 */
export type Pruned =
  | { readonly status: 'pruned'; readonly records: number }
  /** Some records may be deleted; the next call continues. */
  | { readonly status: 'unreachable'; readonly error: Error }

/** The addition to `Once` of every layer on PostgreSQL. */
export interface Prunes {
  /**
   * Deletes records whose time to live has passed: the retention and twice the clock skew since
   * their last change. Nothing else deletes records: call it regularly, from one process or from
   * many. Deletes a thousand at a time.
   */
  prune(): Promise<Pruned>
}

/**
 * The layer for effects that are rows of its database.
 * @example
 * ```ts
 * import type { OnceInTransaction, OnceMessage, PgClient } from 'onceproof/once'
 *
 * const pay = (once: OnceInTransaction<PgClient>, message: OnceMessage) =>
 *   once.run(message, async ({ key, tx }) => {
 *     await tx.query('INSERT INTO payments (key) VALUES ($1)', [key])
 *   })
 * ```
 */
export interface OnceInTransaction<Client> extends Prunes {
  /**
   * Writes the effect of a message in one transaction with its record, unless it was written
   * before. Then it returns the earlier result. Any number of runs may overlap, in one process and
   * in many: one waits for the other's transaction, for at most a sixth of the lease (125 ms to 1
   * s).
   *
   * Returns `in-doubt` only if there is no record and the message is too old or from the future, or
   * if a record without a result was committed. Rejects with `TypeError` as `Once.run` does.
   */
  run<Result>(message: OnceMessage, effect: EffectInTransaction<Client, Result>): Promise<RunOutcome<Result>>
  /**
   * The state of the key's committed record. A transaction that is still open does not show in it.
   */
  status(key: string): Promise<KeyStatus>
  /** Does not end runs that are in progress, and does not close the caller's pool. */
  close(): void
}

/** Slightly below the limit of an index entry that does not compress. */
const longestKeyBytes = 2600

const onPostgres: Store = {
  name: 'PostgreSQL',
  unreachable: 'postgres-unreachable',
  options: [...optionsAnywhere, 'pool', 'synchronousStandby'],
  needKey(key) {
    if (key.includes('\0'))
      throw new TypeError(
        `the key ${JSON.stringify(key)} has U+0000, which PostgreSQL does not support in texts: remove it, or encode the key`,
      )
    const bytes = Buffer.byteLength(key)
    if (bytes > longestKeyBytes)
      throw new TypeError(
        `the key ${JSON.stringify(`${key.slice(0, 40)}…`)} has ${bytes} bytes, but PostgreSQL indexes at most ${longestKeyBytes}: use a hash of it`,
      )
  },
}

/**
 * The parts of a layer whose effects are requests to another system, for `createOnce`. Throws as
 * `createOnce` does.
 */
export function layerOnPostgres<Pool extends PgPool>(options: OncePostgresOptions<Pool>): { layer: Layer } & Prunes {
  const { settings, sessions } = openedOn(options)
  const generations = options.synchronousStandby !== true
  const records = new PostgresRecords(sessions, settings, generations)
  const lookup = new PostgresLookup(sessions, settings, records)
  return { layer: { settings, records, lookup }, prune: () => prune(sessions, settings) }
}

export function onceInTransaction<Pool extends PgPool>(
  options: OnceTransactionOptions<Pool>,
): OnceInTransaction<ClientOf<Pool>> {
  const { settings, sessions } = openedOn(options)
  const transactions = new Transactions(sessions, settings)
  const records = new PostgresRecords(sessions, settings, false)
  const layer: Layer = { settings, records, lookup: new PostgresLookup(sessions, settings, records) }
  return {
    run: (message, effect) =>
      // The pool returns clients of the caller's own type.
      reported(settings, message?.key, () =>
        transactions.run(message, effect as unknown as Parameters<typeof transactions.run>[1]),
      ) as Promise<RunOutcome<never>>,
    status: async (key) => statusOf(layer, keysOf(key, settings).key),
    prune: () => prune(sessions, settings),
    close: () => sessions.close(),
  }
}

const onPostgresInTransaction: Store = {
  ...onPostgres,
  name: 'rows of PostgreSQL',
  options: [
    'pool',
    'sink',
    'leaseMs',
    'retentionMs',
    'maxClockSkewMs',
    'isRefusal',
    'onEvent',
    'logger',
    'telemetry',
    'namespace',
  ],
}

function openedOn(options: OncePostgresOptions | OnceTransactionOptions): { settings: Settings; sessions: Sessions } {
  needPool(options.pool)
  const { redis, sink, ...rest } = options as { redis?: unknown; sink?: AnySink } & Omit<OncePostgresOptions, 'sink'>
  if (redis !== undefined) throw new TypeError('createOnce: give `redis` or `pool`, not both')
  needType('boolean', { synchronousStandby: rest.synchronousStandby })
  const settings =
    sink?.kind === 'transactional'
      ? settingsOf(rest, onPostgresInTransaction)
      : settingsOf(sink === undefined ? rest : { ...rest, sink }, onPostgres)
  if (sink?.kind === 'transactional' && rest.isRefusal === undefined) needIsRefusal()
  return { settings, sessions: new Sessions(options.pool, settings) }
}

async function prune(sessions: Sessions, { namespace }: Settings): Promise<Pruned> {
  const sql = transitions(false, tablesOf(namespace)).prune
  for (let records = 0; ; ) {
    const answer = await sessions.call(sql, [])
    if (!answer.answered) return silence(answer)
    records += answer.rows.length
    if (answer.rows.length < 1000) return { status: 'pruned', records }
  }
}
