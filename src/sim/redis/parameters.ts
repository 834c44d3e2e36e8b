import type { RedisConfig } from './config.ts'
import { parseInt64 } from './numbers/int64.ts'
import { areEventFlags, printEventFlags } from './pubsub/keyspace-events.ts'

/** One parameter of redis.conf that the simulation obeys. */
export interface Parameter {
  readonly immutable: boolean
  read(config: RedisConfig): string
  /** Why a value is refused, in Redis's words; undefined when it is fine. */
  problem(text: string): string | undefined
  write(config: RedisConfig, text: string): void
}

type NumberName = { [K in keyof RedisConfig]: RedisConfig[K] extends number ? K : never }[keyof RedisConfig]

const policies = [
  'volatile-lru',
  'volatile-lfu',
  'volatile-random',
  'volatile-ttl',
  'allkeys-lru',
  'allkeys-lfu',
  'allkeys-random',
  'noeviction',
]

export const parameters: { readonly [name: string]: Parameter } = {
  requirepass: {
    immutable: false,
    read: (config) => config.requirepass,
    problem: () => undefined,
    write: (config, text) => {
      config.requirepass = text
    },
  },
  'maxmemory-policy': {
    immutable: false,
    read: (config) => config.maxmemoryPolicy,
    problem: (text) => (policies.includes(text.toLowerCase()) ? undefined : oneOf(policies)),
    write: (config, text) => {
      config.maxmemoryPolicy = text.toLowerCase()
    },
  },
  'notify-keyspace-events': {
    immutable: false,
    read: (config) => printEventFlags(config.notifyKeyspaceEvents),
    problem: (text) => (areEventFlags(text) ? undefined : "Invalid event class character. Use 'Ag$lshzxeKEtmdn'."),
    write: (config, text) => {
      config.notifyKeyspaceEvents = text
    },
  },
  maxmemory: memory('maxmemory'),
  databases: number('databases', true),
  port: number('port', true),
  'hash-max-listpack-entries': number('hashMaxListpackEntries'),
  'hash-max-ziplist-entries': number('hashMaxListpackEntries'),
  'hash-max-listpack-value': number('hashMaxListpackValue'),
  'hash-max-ziplist-value': number('hashMaxListpackValue'),
  'set-max-intset-entries': number('setMaxIntsetEntries'),
  'zset-max-listpack-entries': number('zsetMaxListpackEntries'),
  'zset-max-ziplist-entries': number('zsetMaxListpackEntries'),
  'zset-max-listpack-value': number('zsetMaxListpackValue'),
  'zset-max-ziplist-value': number('zsetMaxListpackValue'),
  'stream-node-max-bytes': memory('streamNodeMaxBytes'),
  'stream-node-max-entries': number('streamNodeMaxEntries'),
  'proto-max-bulk-len': memory('protoMaxBulkLen'),
}

/** Parameters that are kept and given back, and otherwise without effect, with their defaults. */
export const inertParameters: { readonly [name: string]: string } = {
  save: '',
  appendonly: 'no',
  appendfsync: 'everysec',
  timeout: '0',
  'tcp-keepalive': '300',
  hz: '10',
  'min-replicas-to-write': '0',
  'min-replicas-max-lag': '10',
  'busy-reply-threshold': '5000',
  'lua-time-limit': '5000',
  'slowlog-log-slower-than': '10000',
  'slowlog-max-len': '128',
  'latency-monitor-threshold': '0',
  'lazyfree-lazy-user-del': 'no',
  'lazyfree-lazy-user-flush': 'no',
  'lazyfree-lazy-expire': 'no',
  'lazyfree-lazy-eviction': 'no',
  'active-expire-effort': '1',
  'replica-read-only': 'yes',
  'repl-backlog-size': '1048576',
  'cluster-enabled': 'no',
  maxclients: '10000',
  'client-query-buffer-limit': '1073741824',
  'list-compress-depth': '0',
  'list-max-listpack-size': '-2',
  'list-max-ziplist-size': '-2',
  'rdb-key-save-delay': '0',
  'replica-serve-stale-data': 'yes',
  loglevel: 'notice',
}

function number(field: NumberName, immutable = false): Parameter {
  return {
    immutable,
    read: (config) => String(config[field]),
    problem: (text) => (parseInt64(text) === undefined ? "argument couldn't be parsed into an integer" : undefined),
    write: (config, text) => {
      config[field] = Number(text)
    },
  }
}

/** Bytes, given with a unit or without. Source: memtoull of Redis 7.0. */
function memory(field: NumberName): Parameter {
  const bytes = (text: string): number | undefined => {
    const [, digits, unit] = /^(\d+)(b|kb?|mb?|gb?)?$/i.exec(text) ?? []
    return digits === undefined ? undefined : Number(digits) * units[unit?.toLowerCase() ?? '']!
  }
  return {
    ...number(field),
    problem: (text) => (bytes(text) === undefined ? 'argument must be a memory value' : undefined),
    write: (config, text) => {
      config[field] = bytes(text)!
    },
  }
}

const units: Record<string, number> = {
  ...{ '': 1, b: 1, k: 1e3, kb: 1024, m: 1e6, mb: 1024 ** 2, g: 1e9, gb: 1024 ** 3 },
}

function oneOf(values: readonly string[]): string {
  return `argument(s) must be one of the following: ${values.join(', ')}`
}
