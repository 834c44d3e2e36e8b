/** What of redis.conf changes how the simulated server behaves. Sizes in bytes; defaults of Redis 7.0.15. */
export interface RedisConfig {
  /** Empty: no password. */
  requirepass: string
  databases: number
  port: number
  /** Bytes; 0: no limit. Below the constant that INFO gives as used, it is exceeded; above, it changes nothing. */
  maxmemory: number
  maxmemoryPolicy: string
  /** notify-keyspace-events as it was given; empty: nothing is told. */
  notifyKeyspaceEvents: string
  hashMaxListpackEntries: number
  hashMaxListpackValue: number
  setMaxIntsetEntries: number
  zsetMaxListpackEntries: number
  zsetMaxListpackValue: number
  streamNodeMaxBytes: number
  streamNodeMaxEntries: number
  protoMaxBulkLen: number
  /**
   * Executed steps after which a script is taken for one that never ends (scripting/script-host.ts), and the run
   * marked unsupported: virtual time stands still inside a script, so that only a count can tell.
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
  hashMaxListpackEntries: 512,
  hashMaxListpackValue: 64,
  setMaxIntsetEntries: 512,
  zsetMaxListpackEntries: 128,
  zsetMaxListpackValue: 64,
  streamNodeMaxBytes: 4096,
  streamNodeMaxEntries: 100,
  protoMaxBulkLen: 512 * 1024 * 1024,
  scriptStepBudget: 50_000_000,
}
