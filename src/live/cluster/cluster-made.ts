/** The Cluster that a plan gets of real servers. */
import type { RedisPlan } from '../../contract/api/plan.ts'

/**
 * A time-out below this makes nodes call each other dead that only had to wait for a processor: they look ten times a second, and a
 * ping is late by half of it before they dial again.
 */
const shortestTimeoutMs = 400

/** In the words of a plan: nodes, and how soon they miss each other, are as it says; disks keep nothing, and nothing is drawn out. */
export function clusterMade(redis: RedisPlan, scale: number): RedisPlan {
  const downAfterMs = Math.max(shortestTimeoutMs, Math.round(redis.downAfterMs * scale))
  const failoverTimeoutMs = Math.round(redis.failoverTimeoutMs * scale)
  return { ...redis, downAfterMs, failoverTimeoutMs, keeps: 'nothing', fullSyncMs: 0, loadingMs: 0 }
}
