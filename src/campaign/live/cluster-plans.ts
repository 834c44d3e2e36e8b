/** Live plans of a Redis Cluster that loses a primary. */
import type { Plan, PlannedFault, RedisPlan } from '../../contract/api/plan.ts'
import { at, failoverPlan, healAfterMs, lostAtMs } from './failover-orders.ts'

/** Nodes of a Cluster detect a failure after the same time as the Sentinels of live runs. */
const redis: RedisPlan = {
  shards: 3,
  replicas: 1,
  sentinels: 0,
  downAfterMs: 500,
  failoverTimeoutMs: 0,
  keeps: 'nothing',
  minReplicasToWrite: 0,
  fullSyncMs: 0,
  loadingMs: 0,
}

/**
 * One message arrives before the loss, and the others while the primary is isolated and has not
 * noticed. Some of the keys belong to the shard of the primary.
 */
const publishedMs = [0, ...[20, 60, 100, 140, 180, 220].map((ms) => lostAtMs + ms)]

const plan = (kind: string, more: Partial<PlannedFault> = {}): Plan =>
  failoverPlan(publishedMs, [{ kind, when: at(lostAtMs), healAfterMs, ...more }], { redis })

const goals = ['a-server-was-promoted', 'a-replaced-primary-came-back']

export const clusterPlans = [
  /**
   * The primary is cut off from the other nodes, and serves until it notices that it is in a
   * minority.
   */
  { plan: plan('machine-cut-off', { who: 'primary', which: 0, from: 'machines', withReplica: false }), goals },
  /** The primary dies. */
  { plan: plan('redis-restart'), goals },
  /** The primary stops, is replaced, and resumes. */
  { plan: plan('slow-redis'), goals: [...goals, 'a-stopped-primary-woke-up'] },
]
