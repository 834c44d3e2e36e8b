/**
 * At most one effect per idempotency key, among competing consumers, on Redis or on PostgreSQL.
 *
 *     const redis = { host: 'localhost' }
 *     const once = createOnce({ redis, replicas: 0, leaseMs: 10_000, retentionMs: 7 * 86_400_000 })
 *     const outcome = await once.run(message, async ({ key }) => charge(key, message.payload))
 *
 * Guarantees and assumptions: docs/reference/guarantees.md.
 */
import { attempt } from './attempt.ts'
import { Connection } from './connection.ts'
import { reconcile } from './doubt.ts'
import { reported } from './events.ts'
import type { KeyInDoubt } from './in-doubt.ts'
import { type KeyStatus, statusOf } from './key-status.ts'
import type { Layer } from './layer.ts'
import { listDoubts } from './list-doubts.ts'
import { Lookup } from './lookup.ts'
import { type OnceOptions, settingsOf } from './options.ts'
import { type RunOutcome, retry } from './outcome.ts'
import { layerOnPostgres, type OnceInTransaction, onceInTransaction, type Prunes } from './postgres/once.ts'
import type { OncePostgresOptions, OnceTransactionOptions } from './postgres/options.ts'
import type { ClientOf, PgPool } from './postgres/pool.ts'
import { stored } from './record-done.ts'
import { type Acquired, type Claim, claim, keysOf, Records } from './records.ts'
import { type Settled, type Settlement, settle } from './settle.ts'
import { type Effect, needWork, type OnceMessage, type Work } from './work.ts'

export { type Adopted, type AdoptOptions, adopt } from './adopt.ts'
export type { OnceEvent, Telemetry } from './events.ts'
export type { BegunBy, KeyInDoubt, Meta } from './in-doubt.ts'
export type { KeyStatus } from './key-status.ts'
export type { Logger } from './log-events.ts'
export type { NodeRedis, NodeRedisSentinelAt } from './node-redis.ts'
export type { Doubt, OnceOptions, Raised, Reconciled, SinkRules } from './options.ts'
export type { ConflictingValue, ConflictReason, DoubtReason, RetryReason, RunOutcome } from './outcome.ts'
export type { OnceInTransaction, Pruned } from './postgres/once.ts'
export type { OncePostgresOptions, OnceTransactionOptions } from './postgres/options.ts'
export type { PgClient, PgPool } from './postgres/pool.ts'
export {
  type CreateOnceTablesOptions,
  createOnceTables,
  onceTables,
  onceTablesIn,
  SchemaError,
} from './postgres/schema.ts'
export type { AttemptInTransaction, EffectInTransaction } from './postgres/transaction.ts'
export { ClusterIncomplete } from './primaries.ts'
export type { ClusterAt, RedisAt } from './redis-at.ts'
export type { Settled, Settlement } from './settle.ts'
export type { Attempt, Effect, OnceMessage, Preparation, Work } from './work.ts'

/**
 * A layer: at most one effect per key. Its methods are safe to call from any number of processes.
 * @example
 * ```ts
 * import type { Once, OnceMessage } from 'onceproof/once'
 *
 * const charge = (once: Once, message: OnceMessage) =>
 *   once.run(message, async ({ key }) => ({ charged: key }))
 * ```
 */
export interface Once {
  /**
   * Performs the effect of a message, unless it was performed before. Then it returns the earlier
   * result.
   *
   * The effect starts only after Redis has confirmed that its begin is on record, so it cannot be
   * sent unguarded. Any number of runs may overlap, in one process and in many. If Redis is silent,
   * each step repeats for two command timeouts (at most four seconds) and ends with its last try:
   * after four timeouts at worst, or seven for a begin that waits for replicas. `prepare` is
   * awaited within the lease, and the effect for as long as it takes.
   *
   * Rejects with `TypeError` for mistakes in the call, before anything is done: no key, no effect,
   * no produced-at time or one in seconds, a key that is not well-formed Unicode, a payload that
   * JSON cannot represent.
   * All other problems are outcomes.
   */
  run<Result, Prepared = undefined>(
    message: OnceMessage,
    work: Effect<undefined, Result> | Work<Prepared, Result>,
  ): Promise<RunOutcome<Result>>
  /**
   * The state of a key. Only a run decides whether to perform. Rejects with `TypeError` for a key
   * that no message can have.
   */
  status(key: string): Promise<KeyStatus>
  /**
   * The effects in doubt that have a record: begun, and without a heartbeat for a lease. It scans
   * every key of every primary (docs/guide/once.md has the cost). Rejects if a primary does not
   * answer or a failover happens meanwhile; rejects with `ClusterIncomplete` if slots of a Cluster
   * have no primary that answers. Doubts about messages without a record are known only from the
   * outcomes of their runs.
   */
  doubts(): AsyncIterable<KeyInDoubt>
  /**
   * Records what happened to an effect in doubt; this must be known from the sink. `applied`: it
   * happened. `barred`: the sink has no effect of the key and will refuse the request for ever,
   * though its process may still be running. It settles exactly the reported doubt, whatever other
   * processes settle or perform meanwhile. Only within the retention. A barred key may be
   * attempted again `maxAttempts` times. Rejects with `TypeError` for a result that JSON cannot
   * represent.
   */
  settle(doubt: KeyInDoubt, settlement: Settlement): Promise<Settled>
  /**
   * Permits another `maxAttempts` attempts for a key that has failed. Does not change its
   * holder.
   */
  resetAttempts(
    key: string,
  ): Promise<{ readonly status: 'reset' } | { readonly status: 'unreachable'; readonly error: Error }>
  /** Disconnects. Runs in progress can no longer record anything, and return accordingly. */
  close(): void
}

/**
 * With `redis`: connects at once, in the background. Throws before that: `RangeError` for times and
 * numbers that cannot work; `TypeError` for unknown options, for `replicas` or `isRefusal` if it is
 * missing although a guarantee depends on it, for a sink that does not match `SinkRules`, and for a
 * client that is neither ioredis nor made by `createClient` of node-redis.
 * @example
 * ```ts no-run
 * import { createOnce } from 'onceproof/once'
 *
 * const once = createOnce({
 *   redis: { host: 'localhost' },
 *   replicas: 0,
 *   leaseMs: 10_000,
 *   retentionMs: 86_400_000,
 * })
 * const message = { key: 'order-1', payload: { cents: 100 }, producedAt: Date.now() }
 * const outcome = await once.run(message, async ({ key }) => ({ charged: key }))
 * console.log(outcome.status)
 * once.close()
 * ```
 */
export function createOnce(options: OnceOptions): Once
/**
 * With a `pool` of `pg`, and rows of the same database as the effect: writes them in the record's
 * own transaction. Throws as above, and `TypeError` if `pool` is not a pool.
 */
export function createOnce<Pool extends PgPool>(
  options: OnceTransactionOptions<Pool>,
): OnceInTransaction<ClientOf<Pool>>
/**
 * With a `pool` of `pg`, and a request to another system as the effect. `createOnceTables` makes
 * its tables.
 */
export function createOnce<Pool extends PgPool>(options: OncePostgresOptions<Pool>): Once & Prunes
export function createOnce(
  options: OnceOptions | OnceTransactionOptions | OncePostgresOptions,
): Once | (Once & Prunes) | OnceInTransaction<unknown> {
  if (typeof options !== 'object' || options === null || !('pool' in options || 'redis' in options))
    throw new TypeError('createOnce: give { redis } with an address or a client, or { pool } with a Pool of pg')
  if ('pool' in options) {
    if (options.sink?.kind === 'transactional') return onceInTransaction(options as OnceTransactionOptions)
    const { layer, prune } = layerOnPostgres(options as OncePostgresOptions)
    return { ...onceOf(layer), prune }
  }
  const settings = settingsOf(options)
  const connection = new Connection(options.redis, settings)
  const records = new Records(connection, settings)
  return onceOf({ settings, records, lookup: new Lookup(connection, settings, records) })
}

function onceOf(layer: Layer): Once {
  const { settings, records } = layer
  return {
    run: (message, work) =>
      reported(settings, message?.key, () =>
        typeof work === 'function' ? run(layer, message, bare(work)) : run(layer, message, work),
      ),
    status: (key) => statusOf(layer, key),
    doubts: () => listDoubts(layer),
    settle: (doubt, settlement) => settle(layer, doubt, settlement),
    resetAttempts: async (key) => records.resetAttempts(keysOf(key, settings)),
    close: () => records.close(),
  }
}

function bare<Result>(effect: Effect<undefined, Result>): Work<undefined, Result> {
  return { prepare: async () => undefined, effect }
}

async function run<Prepared, Result>(
  layer: Layer,
  message: OnceMessage,
  work: Work<Prepared, Result>,
): Promise<RunOutcome<Result>> {
  const claimed = claim(message, layer.settings)
  needWork(work)
  const found = await layer.records.acquire(claimed)
  return found.status === 'acquired' ? attempt(layer, found.hold, work) : answer(layer, claimed, found)
}

/** The outcome for a message whose key could not be taken. */
async function answer<Result>(
  layer: Layer,
  claimed: Claim,
  found: Exclude<Acquired, { status: 'acquired' }>,
): Promise<RunOutcome<Result>> {
  const { soonMs, unreachable } = layer.settings
  switch (found.status) {
    case 'completed':
      return stored(found, true)
    case 'refused':
      return { status: 'refused', error: found.error, repeated: true }
    case 'conflict':
      return found
    case 'held':
      return retry('held', Math.min(found.leftMs, soonMs))
    case 'unreachable':
      return retry(unreachable, soonMs, found.error)
    case 'evicts':
      return retry(
        'redis-evicts',
        soonMs,
        new Error(`Redis may evict records: set maxmemory-policy to noeviction, not ${found.policy}`),
      )
    case 'fences-exhausted':
      return retry(
        found.status,
        soonMs,
        new Error(`no fence is left up to ${Number.MAX_SAFE_INTEGER}: correct the store's clock, or use another key`),
      )
    case 'in-doubt':
      return reconcile(layer, claimed, found.begin, { reason: found.reason })
  }
}
