/** The parameters of redis.conf: those that the simulation obeys, and those that it only keeps. */
import { clusterParameters } from './cluster/parameters.ts'
import { memory, number, oneOf, type Parameters, text, yesNo } from './parameter-kinds.ts'
import { persistenceParameters } from './persistence/parameters.ts'
import { areEventFlags, printEventFlags } from './pubsub/keyspace-events.ts'
import { replicationParameters } from './replication/parameters.ts'

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
  'slowlog-log-slower-than': number('slowlogLogSlowerThan', false, -1),
  'slowlog-max-len': number('slowlogMaxLen', false, 0),
}

/** Parameters that are kept and given back, and otherwise without effect, with their defaults. */
export const inertParameters: { readonly [name: string]: string } = {
  timeout: '0',
  'tcp-keepalive': '300',
  hz: '10',
  'busy-reply-threshold': '5000',
  'lua-time-limit': '5000',
  'latency-monitor-threshold': '0',
  'lazyfree-lazy-user-flush': 'no',
  'active-expire-effort': '1',
  maxclients: '10000',
  'client-query-buffer-limit': '1073741824',
  'list-compress-depth': '0',
  'list-max-listpack-size': '-2',
  'list-max-ziplist-size': '-2',
  'rdb-key-save-delay': '0',
  loglevel: 'notice',
}
