/**
 * The rows of a configuration search: Redis deployments, from the one that loses the most data to
 * the one that loses the least.
 */
import fc from 'fast-check'
import type { RedisPlan } from '../../contract/api/plan.ts'
import type { Shape } from '../../contract/api/store.ts'
import { clusterRedis, sentinelRedis } from '../../sim/plans/redis-plan.ts'

/** Overrides of the values that `sentinelRedis` draws. */
export type RedisFields = Partial<{ [K in keyof RedisPlan]: fc.Arbitrary<NonNullable<RedisPlan[K]>> }>

export interface Configuration {
  /** A stable id, which tokens and results use. */
  readonly id: string
  /** The heading of the row. */
  readonly title: string
  /** A description in one sentence. */
  readonly about: string
  /** How clients connect to the deployment. */
  readonly shape: Shape
  readonly redis: RedisFields
  readonly hasReplicas: boolean
  /** True if a replica is promoted when the primary is lost. */
  readonly failsOver: boolean
  /** True if a server that dies may restart without some acknowledged writes. */
  readonly forgets: boolean
  /**
   * True if a replica that was down receives a full sync, because an append-only file does not
   * contain the replication offset. Without an append-only file, the replica resumes from the data
   * that its primary had sent.
   */
  readonly syncsAnew: boolean
  /**
   * The number of replicas that WAIT requires. A row with this number is only for layers that call
   * WAIT. For other layers, it equals another row.
   */
  readonly waitFor?: number
}

/** The number of replicas: two, so that one can acknowledge without the other. */
const replicas = 2

const alone: RedisFields = { replicas: fc.constant(0), sentinels: fc.constant(0) }
const replicated: RedisFields = { replicas: fc.constant(replicas) }
const keeping = (keeps: RedisPlan['keeps']): RedisFields => ({ keeps: fc.constant(keeps) })

const single = (keeps: RedisPlan['keeps'], title: string, disk: string): Configuration => ({
  id: keeps === 'nothing' ? 'one-server' : `one-server-${keeps}`,
  title: `one server, ${title}`,
  about: `one server with ${disk}`,
  shape: 'single',
  redis: { ...alone, ...keeping(keeps) },
  hasReplicas: false,
  failsOver: false,
  forgets: keeps !== 'aof-always',
  syncsAnew: false,
})

/**
 * A deployment with three Sentinels. By default, its servers have an append-only file that may lack
 * its last second.
 */
const watched = (id: string, title: string, about: string, more: Partial<Configuration> = {}): Configuration => ({
  id: `sentinel${id}`,
  title: `Sentinel${title}`,
  about: `a primary and ${replicas} replicas under three Sentinels${about}`,
  shape: 'sentinel',
  hasReplicas: true,
  failsOver: true,
  forgets: true,
  syncsAnew: true,
  ...more,
  redis: {
    ...replicated,
    ...keeping('aof-everysec'),
    ...more.redis,
    ...(more.waitFor === undefined ? {} : { waitFor: fc.constant(more.waitFor) }),
  },
})

const oneMustBeThere: RedisFields = { minReplicasToWrite: fc.constant(1) }

/**
 * The configurations. Append new configurations. Each loss decides whether it applies to a
 * configuration.
 */
export const configurations: readonly Configuration[] = [
  single('nothing', 'keeps nothing', 'nothing'),
  single('snapshot', 'snapshots', 'a snapshot in every second with a change'),
  single('aof-everysec', 'AOF everysec', 'an append-only file, synced every second'),
  single('aof-always', 'AOF always', 'an append-only file, synced before each reply'),
  {
    id: 'replicated',
    title: `${replicas} replicas, no failover`,
    about: `a primary and ${replicas} replicas; no failover; append-only files, synced every second`,
    shape: 'single',
    redis: { ...replicated, sentinels: fc.constant(0), ...keeping('aof-everysec') },
    hasReplicas: true,
    failsOver: false,
    forgets: true,
    syncsAnew: true,
  },
  watched('-nothing', ', disks keep nothing', '; no server keeps data on disk', {
    syncsAnew: false,
    redis: keeping('nothing'),
  }),
  watched('-wait-0', ', waits for 0', '; the layer waits for no replica', { waitFor: 0 }),
  watched('-wait-1', `, waits for 1 of ${replicas}`, '; the layer waits for one replica', { waitFor: 1 }),
  watched('', ', AOF everysec', '; append-only files, synced every second; a layer that waits, waits for all replicas'),
  watched(
    '-min-replicas-wait-0',
    ', min-replicas 1, waits for 0',
    '; min-replicas-to-write 1; the layer waits for no replica',
    {
      waitFor: 0,
      redis: oneMustBeThere,
    },
  ),
  watched('-min-replicas', ', min-replicas 1', '; min-replicas-to-write 1', { redis: oneMustBeThere }),
  watched('-aof-always', ', AOF always', '; append-only files, synced before each reply', {
    forgets: false,
    redis: keeping('aof-always'),
  }),
  {
    id: 'cluster',
    title: 'Cluster, AOF everysec',
    about: 'a Cluster of three shards, each a primary and a replica; append-only files, synced every second',
    shape: 'cluster',
    redis: keeping('aof-everysec'),
    hasReplicas: true,
    failsOver: true,
    forgets: true,
    syncsAnew: true,
  },
]

/**
 * Draws the deployment. Settings that the row does not define are drawn as in the scenarios with
 * the same shape.
 */
export function drawRedis({ shape, redis }: Configuration, more: RedisFields = {}): fc.Arbitrary<RedisPlan> {
  return (shape === 'cluster' ? clusterRedis : sentinelRedis)({ ...redis, ...more })
}
