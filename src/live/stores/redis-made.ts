/** The Redis deployment that a plan gets of real servers. */
import type { RedisPlan } from '../../contract/api/plan.ts'
import { clusterMade } from '../cluster/cluster-made.ts'
import { deployedRedis } from '../servers/sentinel-deployment.ts'

/** In real milliseconds. */
export function redisMade(redis: RedisPlan, scale: number): RedisPlan {
  return redis.shards === undefined ? deployedRedis : clusterMade(redis, scale)
}
