import fc from 'fast-check'
import type { RedisPlan } from '../../contract/api/plan.ts'
import { picked } from '../../run/seldom.ts'

/**
 * Three shards of two servers. They detect a dead server quickly, but not so quickly that runs
 * consist mostly of heartbeats.
 * @example
 * ```ts
 * import { clusterRedis, fc, plansOf } from 'onceproof'
 *
 * const plans = plansOf({ faults: ['crash'], redis: clusterRedis({ shards: fc.constant(5) }) })
 * ```
 */
export function clusterRedis(
  some: Partial<{ [K in keyof RedisPlan]: fc.Arbitrary<RedisPlan[K]> }> = {},
): fc.Arbitrary<RedisPlan> {
  return sentinelRedis({
    shards: fc.constant(3),
    replicas: fc.constant(1),
    sentinels: fc.constant(0),
    downAfterMs: fc.integer({ min: 1000, max: 2500 }),
    failoverTimeoutMs: fc.constant(0),
    ...some,
  })
}

/**
 * Five servers that do not know each other, as Redlock requires.
 * @example
 * ```ts
 * import { independentRedis, plansOf } from 'onceproof'
 *
 * const plans = plansOf({ faults: ['crash'], redis: independentRedis() })
 * ```
 */
export function independentRedis(
  some: Partial<{ [K in keyof RedisPlan]: fc.Arbitrary<RedisPlan[K]> }> = {},
): fc.Arbitrary<RedisPlan> {
  return fc.record<RedisPlan>({
    independent: fc.constant(5),
    replicas: fc.constant(0),
    sentinels: fc.constant(0),
    downAfterMs: fc.constant(0),
    failoverTimeoutMs: fc.constant(0),
    keeps: fc.constantFrom('nothing', 'aof-always'),
    minReplicasToWrite: fc.constant(0),
    fullSyncMs: fc.constant(0),
    loadingMs: fc.constant(0),
    ...some,
  })
}

/**
 * A primary with replicas, watched by three Sentinels that act quickly, so that runs stay short.
 * @example
 * ```ts
 * import { fc, plansOf, sentinelRedis } from 'onceproof'
 *
 * const plans = plansOf({ faults: ['crash'], redis: sentinelRedis({ replicas: fc.constant(2) }) })
 * ```
 */
export function sentinelRedis(
  some: Partial<{ [K in keyof RedisPlan]: fc.Arbitrary<RedisPlan[K]> }> = {},
): fc.Arbitrary<RedisPlan> {
  return fc.record<RedisPlan>({
    replicas: fc.integer({ min: 1, max: 2 }),
    sentinels: fc.constant(3),
    downAfterMs: fc.integer({ min: 200, max: 1500 }),
    failoverTimeoutMs: fc.integer({ min: 1000, max: 6000 }),
    keeps: fc.constantFrom('nothing', 'aof-everysec', 'snapshot', 'aof-always'),
    minReplicasToWrite: fc.constant(0),
    fullSyncMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 3000 })),
    loadingMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 1000 })),
    ...some,
  })
}

/**
 * In a third of the deployments with several replicas, the last one may never be promoted: it is
 * for reads or backups.
 */
export function someWithReserve(redis: fc.Arbitrary<RedisPlan>): fc.Arbitrary<RedisPlan> {
  return fc
    .tuple(redis, picked(false, false, true))
    .map(([plan, hasReserve]) => (hasReserve && plan.replicas > 1 ? { ...plan, neverPromoted: 1 } : plan))
}
