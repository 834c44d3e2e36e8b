import type { RedisPlan } from '../../src/contract/api/plan.ts'

/** A Cluster of three primaries with a replica each. Its nodes do not persist data. */
export const threeShards: RedisPlan = {
  shards: 3,
  replicas: 1,
  sentinels: 0,
  downAfterMs: 1000,
  failoverTimeoutMs: 0,
  keeps: 'nothing',
  minReplicasToWrite: 0,
  fullSyncMs: 0,
  loadingMs: 0,
}
