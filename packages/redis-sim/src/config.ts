/**
 * Settings of the simulated server: parameters of redis.conf with the defaults of Redis 7.0.15,
 * except that `save` is empty, and four settings of the simulator: `fullSyncUs`, `loadingUs`,
 * `savingUs` and `scriptStepBudget`.
 */
export interface RedisConfig {
  /** Empty if no password is required. */
  requirepass: string
  databases: number
  port: number
  /**
   * Bytes; 0 means no limit. Memory use is a constant (`used_memory` of INFO). A limit below this
   * constant is always exceeded. A higher limit has no effect.
   */
  maxmemory: number
  maxmemoryPolicy: string
  /** The value of notify-keyspace-events as it was set; empty if no events are published. */
  notifyKeyspaceEvents: string
  /**
   * True if replicas receive UNLINK instead of DEL for keys that expire, are evicted, or are
   * deleted by a client's command.
   */
  lazyfreeLazyExpire: boolean
  lazyfreeLazyEviction: boolean
  lazyfreeLazyUserDel: boolean
  /** `host port` of the primary to follow; empty for a primary. */
  replicaof: string
  /** The primary's password; empty if the primary requires none. */
  masterauth: string
  replicaReadOnly: boolean
  replicaServeStaleData: boolean
  replicaPriority: number
  /**
   * Address that a replica announces to its primary; if empty and 0, the replica announces its real
   * address.
   */
  replicaAnnounceIp: string
  replicaAnnouncePort: number
  /** Minimum number of connected replicas for a write; 0 if writes need no replica. */
  minReplicasToWrite: number
  /** Seconds. */
  minReplicasMaxLag: number
  /** Seconds, as in the next two members. */
  replPingReplicaPeriod: number
  replTimeout: number
  replDisklessSyncDelay: number
  /** Seconds; 0 keeps the backlog forever. */
  replBacklogTtl: number
  /** Bytes. */
  replBacklogSize: number
  /** Microseconds that the transfer of a data set takes, in addition to the network's latency. */
  fullSyncUs: number
  /** Microseconds that loading a data set takes, from disk or after a full sync. */
  loadingUs: number
  /** Microseconds until a snapshot or a rewritten file is complete. */
  savingUs: number
  /**
   * Save points in the format of redis.conf, `seconds changes …`; empty if no automatic snapshots
   * are taken.
   */
  save: string
  appendonly: boolean
  appendfsync: 'always' | 'everysec' | 'no'
  clusterEnabled: boolean
  /** Milliseconds. */
  clusterNodeTimeout: number
  clusterRequireFullCoverage: boolean
  clusterAllowReadsWhenDown: boolean
  clusterAllowPubsubshardWhenDown: boolean
  clusterAllowReplicaMigration: boolean
  clusterReplicaValidityFactor: number
  clusterReplicaNoFailover: boolean
  hashMaxListpackEntries: number
  hashMaxListpackValue: number
  setMaxIntsetEntries: number
  zsetMaxListpackEntries: number
  zsetMaxListpackValue: number
  /**
   * Maximum number of entries in a node of a list. Values from -1 to -5 limit the node's size
   * instead: to 4 kB, 8 kB, … 64 kB.
   */
  listMaxListpackSize: number
  /** Maximum length of the sparse form of a HyperLogLog in bytes, including its header. */
  hllSparseMaxBytes: number
  streamNodeMaxBytes: number
  streamNodeMaxEntries: number
  protoMaxBulkLen: number
  /** Microseconds; negative disables the log. */
  slowlogLogSlowerThan: number
  slowlogMaxLen: number
  acllogMaxLen: number
  /** Maximum number of keys whose readers CLIENT TRACKING remembers; 0 means no limit. */
  trackingTableMaxKeys: number
  /**
   * If a script runs for longer than this number of milliseconds, commands of other clients are
   * answered BUSY instead of waiting.
   */
  busyReplyThreshold: number
  /**
   * Number of steps after which a script is considered endless (scripting/script-host.ts) and the
   * run is marked unsupported. The default is the number of steps that a script executes in ten
   * simulated seconds.
   */
  scriptStepBudget: number
}

export const defaultConfig: Readonly<RedisConfig> = {
  requirepass: '',
  databases: 16,
  port: 6379,
  maxmemory: 0,
  maxmemoryPolicy: 'noeviction',
  notifyKeyspaceEvents: '',
  lazyfreeLazyExpire: false,
  lazyfreeLazyEviction: false,
  lazyfreeLazyUserDel: false,
  replicaof: '',
  masterauth: '',
  replicaReadOnly: true,
  replicaServeStaleData: true,
  replicaPriority: 100,
  replicaAnnounceIp: '',
  replicaAnnouncePort: 0,
  minReplicasToWrite: 0,
  minReplicasMaxLag: 10,
  replPingReplicaPeriod: 10,
  replTimeout: 60,
  replDisklessSyncDelay: 5,
  replBacklogTtl: 3600,
  replBacklogSize: 1048576,
  fullSyncUs: 0,
  loadingUs: 0,
  savingUs: 0,
  save: '',
  appendonly: false,
  appendfsync: 'everysec',
  clusterEnabled: false,
  clusterNodeTimeout: 15_000,
  clusterRequireFullCoverage: true,
  clusterAllowReadsWhenDown: false,
  clusterAllowPubsubshardWhenDown: true,
  clusterAllowReplicaMigration: true,
  clusterReplicaValidityFactor: 10,
  clusterReplicaNoFailover: false,
  hashMaxListpackEntries: 512,
  hashMaxListpackValue: 64,
  setMaxIntsetEntries: 512,
  zsetMaxListpackEntries: 128,
  zsetMaxListpackValue: 64,
  listMaxListpackSize: -2,
  hllSparseMaxBytes: 3000,
  streamNodeMaxBytes: 4096,
  streamNodeMaxEntries: 100,
  slowlogLogSlowerThan: 10_000,
  slowlogMaxLen: 128,
  acllogMaxLen: 128,
  trackingTableMaxKeys: 1_000_000,
  protoMaxBulkLen: 512 * 1024 * 1024,
  busyReplyThreshold: 5000,
  scriptStepBudget: 1_000_000_000,
}
