/** Where Redis is, in the ways in which callers say it; and a client of the layer's own for it. */
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis'

/** The nodes at which a Redis Cluster is found. */
export interface ClusterAt {
  readonly nodes: readonly { readonly host: string; readonly port: number }[]
  readonly options?: ClusterOptions
}

/**
 * One server (`host` and `port`), a primary that Sentinels watch (`sentinels` and `name`), or a Cluster. A client is
 * duplicated, never used itself: the layer needs connections with settings of its own.
 */
export type RedisAt = Redis | RedisOptions | Cluster | OtherIoredis | ClusterAt

/** A client of another copy of ioredis, from 4 on: its class is not ours. */
export interface OtherIoredis {
  readonly status: string
  duplicate(...override: never[]): unknown
}

/** How the primary is found: at one address, by asking Sentinels, or by the slot of a key. */
export type Shape = 'single' | 'sentinel' | 'cluster'

/** What holds for the connection to each server, whatever the caller said. */
export type OwnOptions = RedisOptions & { readonly replyMapping: 'legacy' }

export function openClient(at: RedisAt, own: OwnOptions): Redis | Cluster {
  if ('nodes' in at && !isClient(at)) return new Cluster([...at.nodes], clusterOptions(own, at.options))
  if (!isClient(at)) return new Redis({ ...at, ...own })
  return isCluster(at) ? at.duplicate([], clusterOptions(own, at.options)) : at.duplicate(own)
}

export function shapeOf(client: Redis | Cluster): Shape {
  if (isCluster(client)) return 'cluster'
  return client.options.sentinels ? 'sentinel' : 'single'
}

export function isCluster(client: Redis | Cluster): client is Cluster {
  return client.isCluster
}

/** Redirections are followed, since what is redirected was not executed; what may have been executed is not repeated. */
function clusterOptions(own: OwnOptions, given: ClusterOptions = {}) {
  return {
    ...given,
    enableOfflineQueue: false,
    retryDelayOnFailover: 0,
    clusterRetryStrategy: own.retryStrategy!,
    // Nodes are dialled when they are first needed.
    redisOptions: { ...given.redisOptions, ...own, lazyConnect: true },
  }
}

/** By its shape, since an application may hold another copy of ioredis. Throws `TypeError` for a client of another kind. */
function isClient(at: RedisAt): at is Redis | Cluster {
  const { duplicate, status } = at as Partial<Redis>
  if (typeof duplicate !== 'function') return false
  if (typeof status === 'string') return true
  throw new TypeError('redis: this is no client of ioredis: give the address in its place, as in { host, port }')
}
