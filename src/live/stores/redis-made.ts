/** The Redis deployment of real servers for a plan. */
import type { Plan, RedisPlan } from '../../contract/api/plan.ts'
import type { NotMadeLive } from '../../contract/results/results.ts'
import { deployedRedis } from '../servers/sentinel-deployment.ts'

/** The deployment, with times in real milliseconds. */
export function redisMade(redis: RedisPlan, scale: number): RedisPlan {
  if (redis.independent !== undefined) return { ...redis, keeps: 'nothing', fullSyncMs: 0, loadingMs: 0 }
  return redis.shards === undefined ? deployedRedis : clusterMade(redis, scale)
}

/**
 * With a lower timeout, nodes would declare each other dead that only wait for a CPU: they check
 * ten times a second, and reconnect when a ping is late by half of it.
 */
const shortestTimeoutMs = 400

/** Nodes and timeouts are as planned. Disks keep nothing, and no sync or load is slow. */
function clusterMade(redis: RedisPlan, scale: number): RedisPlan {
  const downAfterMs = Math.max(shortestTimeoutMs, Math.round(redis.downAfterMs * scale))
  const failoverTimeoutMs = Math.round(redis.failoverTimeoutMs * scale)
  return { ...redis, downAfterMs, failoverTimeoutMs, keeps: 'nothing', fullSyncMs: 0, loadingMs: 0 }
}

/** Differences between the plan and live servers. Durations of the plan are scaled first. */
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
