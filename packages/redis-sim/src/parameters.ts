/** The parameters of redis.conf: the simulated ones and those that are only stored. */
import { clusterParameters } from './cluster/parameters.ts'
import {
  bytesBetween,
  bytesOf,
  integerBetween,
  isYesNo,
  memory,
  number,
  oneOf,
  type Parameters,
  type Problem,
  text,
  yesNo,
} from './parameter-kinds.ts'
import { persistenceParameters } from './persistence/parameters.ts'
import { areEventFlags, printEventFlags } from './pubsub/keyspace-events.ts'
import { replicationParameters } from './replication/parameters.ts'

const intMax = 2147483647

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

export const parameters: Parameters = {
  ...replicationParameters,
  ...persistenceParameters,
  ...clusterParameters,
  requirepass: text('requirepass'),
  'maxmemory-policy': {
    immutable: false,
    read: (config) => config.maxmemoryPolicy,
    problem: (value) => (policies.includes(value.toLowerCase()) ? undefined : oneOf(policies)),
    write: (config, value) => {
      config.maxmemoryPolicy = value.toLowerCase()
    },
  },
  'notify-keyspace-events': {
    immutable: false,
    read: (config) => printEventFlags(config.notifyKeyspaceEvents),
    problem: (value) => (areEventFlags(value) ? undefined : "Invalid event class character. Use 'Ag$lshzxeKEtmdn'."),
    write: (config, value) => {
      config.notifyKeyspaceEvents = value
    },
  },
  'lazyfree-lazy-expire': yesNo('lazyfreeLazyExpire'),
  'lazyfree-lazy-eviction': yesNo('lazyfreeLazyEviction'),
  'lazyfree-lazy-user-del': yesNo('lazyfreeLazyUserDel'),
  maxmemory: memory('maxmemory'),
  databases: number('databases', true),
  port: number('port', true),
  'busy-reply-threshold': number('busyReplyThreshold'),
  'lua-time-limit': number('busyReplyThreshold'),
  'list-max-listpack-size': number('listMaxListpackSize', false, -intMax - 1, intMax),
  'list-max-ziplist-size': number('listMaxListpackSize', false, -intMax - 1, intMax),
  'hash-max-listpack-entries': number('hashMaxListpackEntries'),
  'hash-max-ziplist-entries': number('hashMaxListpackEntries'),
  'hash-max-listpack-value': memory('hashMaxListpackValue'),
  'hash-max-ziplist-value': memory('hashMaxListpackValue'),
  'set-max-intset-entries': number('setMaxIntsetEntries'),
  'zset-max-listpack-entries': number('zsetMaxListpackEntries'),
  'zset-max-ziplist-entries': number('zsetMaxListpackEntries'),
  'zset-max-listpack-value': memory('zsetMaxListpackValue'),
  'zset-max-ziplist-value': memory('zsetMaxListpackValue'),
  'hll-sparse-max-bytes': memory('hllSparseMaxBytes'),
  'stream-node-max-bytes': memory('streamNodeMaxBytes'),
  'stream-node-max-entries': number('streamNodeMaxEntries'),
  'proto-max-bulk-len': memory('protoMaxBulkLen', 1024 ** 2),
  'slowlog-log-slower-than': number('slowlogLogSlowerThan', false, -1),
  'tracking-table-max-keys': number('trackingTableMaxKeys'),
  'acllog-max-len': number('acllogMaxLen'),
  'slowlog-max-len': number('slowlogMaxLen', false, 0),
}

/** A parameter that is stored and returned but has no effect. */
export interface InertParameter {
  readonly initial: string
  readonly problem: Problem
  readonly immutable?: boolean
  /** True if CONFIG GET with a pattern does not return the parameter. */
  readonly hidden?: boolean
  /** Converts a value to the form that CONFIG GET returns. */
  readonly kept?: (value: string) => string
}

const levels = ['debug', 'verbose', 'notice', 'warning']
const integer = (initial: string, least: number, most?: number): InertParameter => ({
  initial,
  problem: integerBetween(least, most),
})

export const inertParameters: { readonly [name: string]: InertParameter } = {
  timeout: integer('0', 0, intMax),
  'tcp-keepalive': integer('300', 0, intMax),
  hz: { ...integer('10', 0, intMax), kept: (value) => String(Math.min(500, Math.max(1, Number(value)))) },
  'latency-monitor-threshold': integer('0', 0),
  'lazyfree-lazy-user-flush': { initial: 'no', problem: isYesNo, kept: (value) => value.toLowerCase() },
  'active-expire-effort': integer('1', 1, 10),
  maxclients: integer('10000', 1, 4294967295),
  'client-query-buffer-limit': {
    initial: '1073741824',
    problem: bytesBetween(1024 ** 2),
    kept: (value) => String(bytesOf(value)),
  },
  'list-compress-depth': integer('0', 0, intMax),
  'rdb-key-save-delay': integer('0', -intMax - 1, intMax),
  'maxmemory-samples': integer('5', 1, 64),
  'key-load-delay': { ...integer('0', -intMax - 1, intMax), hidden: true },
  daemonize: { initial: 'no', problem: isYesNo, immutable: true },
  loglevel: {
    initial: 'notice',
    problem: (value) => (levels.includes(value.toLowerCase()) ? undefined : oneOf(levels)),
    kept: (value) => value.toLowerCase(),
  },
}
