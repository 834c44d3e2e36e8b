/**
 * Proposals of the five articles. Each has the place where it is implemented, or the premise that
 * is missing.
 */

/** `missing`: the premise that is missing; null if the proposal is implemented. */
export interface Item {
  readonly article: string
  readonly item: string
  readonly where: string
  readonly missing: string | null
}

const there = (article: string, item: string, where: string): Item => ({ article, item, where, missing: null })
const lacks = (article: string, item: string, missing: string, where = ''): Item => ({ article, item, where, missing })

const realRedis = '[a real Redis](benchmarks.md#a-real-redis-by-itself)'

export const items: readonly Item[] = [
  there('000', "key from the producer's header", "the contract's `key`"),
  there('000', 'missing key is an error', '`000-get-set-record-without-key` under `messages-without-key`'),
  there('000', 'SET NX marker, COMPLETED, DEL', '`000-set-nx-marker`'),
  there('000', 'record, GET then SET', '`000-get-set-record`, `-skip`, `-lease`'),
  there('000', 'FAILED, optionally', '`000-lua-acquire-failed`'),
  there('000', 'acquire_lock.lua, IdempotencyHandler', '`000-lua-acquire`, `-lease`'),
  there('000', 'decorator', '`000-decorator`, `-lease`'),
  there('000', 'cached response with its code', '`004-stored-response` has status and headers'),
  there(
    '000',
    'stale-lock time-out of P99.9 plus a buffer',
    '`pnpm sim tune` ([how long](../guide/tune.md)), `only-pauses`',
  ),
  there('000', 'rebalance, thundering herd', '`only-redeliveries`, `redelivery-storm`'),
  there('000', 'Kafka consumer group, partitions', "`broker: 'partitions'`; `002-owner-token-partitions`"),
  there('000', 'NACK or skip', '`000-get-set-record`, `-skip`'),
  there(
    '000',
    'a UNIQUE index as the first line',
    '`000-unique-index`; `record-in-the-effects-transaction` has a primary key',
  ),
  there('000', 'retention of 24 hours', '`only-expiry`, `stale-message`'),
  there('000', 'latency of EVALSHA, throughput', `${realRedis}; round trips: [prices](instead.md)`),
  there('001', 'GET, then SET', '`001-get-set`'),
  there('001', 'SET NX and DEL', '`001-set-nx-delete`'),
  there('001', 'script with TIME, taken over after 5 minutes', '`001-lua-server-time`'),
  there('001', 'FAILED after several retries', '`001-failed-after-retries`'),
  there('001', 'NACK for a short delay', '`001-lua-server-time-delayed`: `retry` with `afterMs`'),
  there('001', 'MULTI/EXEC cannot decide', '`001-multi-exec`; with WATCH `002-watch-multi`'),
  there('001', 'defineCommand, EVALSHA, lost script cache', 'the fault `scripts-flushed`'),
  there('001', 'a million keys are 250 MB', realRedis),
  there('001', 'COMPLETED is not written', '`only-crashes`'),
  there('001', 'transactional outbox as its remedy', '`001-outbox`; `outbox-before-keyed-sink`'),
  there('001', 'clock skew', '`only-consumer-clocks`, `only-redis-clock`'),
  there('001', 'Cluster', '`001-lua-server-time` under `cluster-failover`'),
  there('001', 'correct for most uses', '[true before a keyed sink](#claims)'),
  there('002', 'key in the header, or a hash of the payload', '`002-derived-key`'),
  there('002', 'naive', '`002-get-then-processing`, `-nack-on-skip`'),
  there('002', 'check_and_set.lua', '`002-check-and-set`, `-nack-on-skip`'),
  there('002', 'owner token', '`002-owner-token`, `-nack-on-skip`'),
  there('002', 'WATCH/MULTI', '`002-watch-multi`, `-nack-on-skip`'),
  there('002', 'FAILED can be retried', "`002-owner-token-failed`: the article's reader, and a writer that we added"),
  there('002', 'a stale record is skipped', '`002-owner-token`'),
  there('002', 'delete if owner', '`002-owner-token-delete-if-owner`'),
  there('002', 'heartbeat', '`002-owner-token-heartbeat`, and `002-owner-token-short-lock` without one'),
  there(
    '002',
    'Redlock, named',
    '`002-redlock-on-five` under `quorum-of-five`; on one server, [library comparison](library-comparison.md)',
  ),
  there('002', 'zombie', '`only-pauses`, `slow-lock-holder`'),
  there('002', 'compensation', '`002-owner-token-compensates`'),
  there('002', 'offset commit', 'the fault `commit-past`'),
  there('002', 'keys age into another store by night', '`002-owner-token-aged`: into DynamoDB'),
  there(
    '002',
    'distribution of keys, hot hash tag',
    'keys and commands by slot, in the report of a layer on a Cluster',
  ),
  there('002', 'latency, throughput', `${realRedis}; round trips: [prices](instead.md)`),
  there('003', 'SET NX EX 5, result, DEL', '`003-set-nx-in-progress`, `-lease`'),
  there('003', 'no key: runs unguarded', '`003-set-nx-in-progress-without-key` under `messages-without-key`'),
  there('003', 'lock longer than processing', '`only-pauses`'),
  there(
    '003',
    'RDB, AOF, Sentinel, Cluster',
    '[configurations](configurations.md#003-set-nx-in-progress): a kill loses the writes that are not on disk (snapshots, AOF everysec); a failover with Sentinels or a Cluster loses unreplicated writes',
  ),
  there('003', 'IN_PROGRESS lost by a failover', '`only-failovers`'),
  there('003', 'absolute guarantees need a Cluster or Sentinels', '[refuted](#claims)'),
  there('003', 'PostgreSQL', '`003-postgres-skip-locked`'),
  lacks(
    '003',
    'lock_expires_at, clean-up by cron, partitions',
    'tables partitioned by time in the simulated PostgreSQL; a unique index of such a table covers only one partition',
    '`003-postgres-clean-up`: it deletes rows, and the article drops a partition',
  ),
  there('003', 'DynamoDB', '`003-dynamodb`, and `003-dynamodb-eventual` without ConsistentRead'),
  there('003', 'outbox', '`003-outbox`; `outbox-before-keyed-sink`'),
  there('003', 'decision table of three stores', '[which store](which-store.md)'),
  there('003', 'result window of 48 hours', '`003-set-nx-in-progress-48-hours`, `only-expiry`'),
  there('004', 'naive', '`004-naive`, `-ack-on-error`'),
  there('004', 'lock and record, compare and delete', '`004-lock-and-record`, `-ack-on-error`'),
  there('004', 'two phases, 5 tries of 100 ms', '`004-two-phase-lock`, `-ack-on-error`'),
  there('004', 'wait for the lock', '`004-lock-and-record-wait`'),
  there('004', 'a retry strategy for FAILED', '`004-two-phase-lock-retry-failed`'),
  there('004', 'STARTED is taken over by age', '`004-two-phase-lock-take-over`'),
  there('004', 'expiry as garbage collection', '`only-expiry`, `no-immortal-keys`'),
  there(
    '004',
    'AOF everysec, always',
    '[configurations](configurations.md#004-two-phase-lock): with everysec a kill loses a record, with always it does not; the pattern breaks there in other ways',
  ),
  there('004', 'the whole HTTP response', '`004-stored-response`'),
  there('004', 'overhead of the wrapper', `${realRedis}; round trips: [prices](instead.md)`),
  lacks(
    '004',
    'DynamoDB, Cassandra, PostgreSQL',
    'a simulated Cassandra',
    '`004-two-phase-postgres`, `004-two-phase-dynamodb`',
  ),
]
