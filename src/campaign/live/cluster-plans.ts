/** A Redis Cluster that loses a primary: made live in these ways. */
import type { Plan, PlannedFault, RedisPlan } from '../../contract/api/plan.ts'
import { at, failoverPlan, healAfterMs, lostAtMs } from './failover-orders.ts'

/** Nodes miss each other as soon as the Sentinels of live runs miss a primary. */
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
 * One before; the others while the primary is apart and has not found out. By their keys some of
 * them are of its shard.
 */
const publishedMs = [0, ...[20, 60, 100, 140, 180, 220].map((ms) => lostAtMs + ms)]

const plan = (kind: string, more: Partial<PlannedFault> = {}): Plan =>
  failoverPlan(publishedMs, [{ kind, when: at(lostAtMs), healAfterMs, ...more }], { redis })

const goals = ['a-server-was-promoted', 'a-replaced-primary-came-back']

export const clusterPlans = [
  /** It is cut off from the other nodes, and serves until it finds itself in a minority. */
  { plan: plan('machine-cut-off', { who: 'primary', which: 0, from: 'machines', withReplica: false }), goals },
  /** It dies. */
  { plan: plan('redis-restart'), goals },
  /** It stands still, is replaced meanwhile, and goes on. */
  { plan: plan('slow-redis'), goals: [...goals, 'a-stopped-primary-woke-up'] },
]
