/**
 * What of redis.conf changes how the simulated server behaves. Sizes in bytes; defaults of Redis
 * 7.0.15.
 */
export interface RedisConfig {
  /** Empty: no password. */
  requirepass: string
  databases: number
  port: number
  /**
   * Bytes; 0: no limit. Below the constant that INFO gives as used, it is exceeded; above, it
   * changes nothing.
   */
  maxmemory: number
  maxmemoryPolicy: string
  /** notify-keyspace-events as it was given; empty: no event is published. */
  notifyKeyspaceEvents: string
  /** Whether replicas get UNLINK instead of DEL for what goes by itself, or by command. */
  lazyfreeLazyExpire: boolean
  lazyfreeLazyEviction: boolean
  lazyfreeLazyUserDel: boolean
  /** `host port` of the primary that is followed; empty for a primary. */
  replicaof: string
  /** The password that the primary wants; empty: none. */
  masterauth: string
  replicaReadOnly: boolean
  replicaServeStaleData: boolean
  replicaPriority: number
  /** What a replica says of itself to its primary; empty and 0: what it has. */
  replicaAnnounceIp: string
  replicaAnnouncePort: number
  /** 0: writes need no replicas. */
  minReplicasToWrite: number
  /** Seconds. */
  minReplicasMaxLag: number
  /** Seconds, as the next three. */
  replPingReplicaPeriod: number
  replTimeout: number
  replDisklessSyncDelay: number
  /** 0: for ever. */
  replBacklogTtl: number
  /** Bytes. */
  replBacklogSize: number
  /** How long a data set is on its way to a replica, beside what the network takes. */
  fullSyncUs: number
  /** How long a data set is being read: from the disk, and by a replica that received one. */
  loadingUs: number
  /** How long a snapshot or a rewritten file is being written before it counts. */
  savingUs: number
  /**
   * Save points as redis.conf has them, `seconds changes …`; empty: no snapshot is taken unasked.
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
  /** Entries of a node of a list, or with -1 to -5 its size: 4 kB, 8 kB, … 64 kB. */
  listMaxListpackSize: number
  /** The longest short form of a HyperLogLog, its header included. */
  hllSparseMaxBytes: number
  streamNodeMaxBytes: number
  streamNodeMaxEntries: number
  protoMaxBulkLen: number
  /** Microseconds; negative: nothing is logged. */
  slowlogLogSlowerThan: number
  slowlogMaxLen: number
  acllogMaxLen: number
  /** Keys of which CLIENT TRACKING remembers who has read them; 0: any number. */
  trackingTableMaxKeys: number
  /**
   * Milliseconds after which a script keeps other clients no longer waiting, but answers them BUSY.
   */
  busyReplyThreshold: number
  /**
   * Executed steps after which a script is taken for one that never ends
   * (scripting/script-host.ts), and the run marked unsupported: only a count can tell. By default
   * those of ten seconds.
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
