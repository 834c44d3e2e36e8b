/** The Redis deployment that real servers provide for a plan. */
import type { Plan, RedisPlan } from '../../contract/api/plan.ts'
import type { NotMadeLive } from '../../contract/results/results.ts'
import { deployedRedis } from '../servers/sentinel-deployment.ts'

/** The deployment of real servers, with times in real milliseconds. */
export function redisMade(redis: RedisPlan, scale: number): RedisPlan {
  if (redis.independent !== undefined) return { ...redis, keeps: 'nothing', fullSyncMs: 0, loadingMs: 0 }
  return redis.shards === undefined ? deployedRedis : clusterMade(redis, scale)
}

/**
 * The minimum node timeout in milliseconds. With a lower one, nodes that only wait for a CPU would
 * be declared dead: nodes check ten times a second, and reconnect when a ping is late by half of
 * the timeout.
 */
const shortestTimeoutMs = 400

/**
 * The Cluster of real servers. Nodes and timeouts are as planned. Disks keep nothing, and syncs and
 * loads are not slowed.
 */
function clusterMade(redis: RedisPlan, scale: number): RedisPlan {
  const downAfterMs = Math.max(shortestTimeoutMs, Math.round(redis.downAfterMs * scale))
  const failoverTimeoutMs = Math.round(redis.failoverTimeoutMs * scale)
  return { ...redis, downAfterMs, failoverTimeoutMs, keeps: 'nothing', fullSyncMs: 0, loadingMs: 0 }
}

/**
 * The differences between the plan and live servers. Durations of the plan are scaled before they
 * are compared.
 */
export function redisOtherwise({ redis }: Plan, scale: number): NotMadeLive[] {
  if (redis === undefined) return []
  const made = new Map<string, unknown>(Object.entries(redisMade(redis, scale)))
  return Object.entries(redis).flatMap(([name, wanted]) => {
    const has = made.get(name)
    const value = typeof wanted === 'number' && name.endsWith('Ms') ? Math.round(wanted * scale) : wanted
    return value === has
      ? []
      : [{ fault: `redis.${name}: ${value}`, why: `live servers have ${has ?? 'no such rule'}` }]
  })
}
