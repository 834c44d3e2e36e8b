/** The forms in which callers give Redis's address, and the layer's own client for each. */
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis'
import { type NodeRedis, NodeRedisClient, type NodeRedisSentinelAt } from './node-redis.ts'
import { Sentinels } from './sentinels.ts'
import type { ConnectionOptions, SentinelClient, ServerClient } from './server-client.ts'
import { shown } from './shown.ts'

/**
 * The nodes at which a Redis Cluster is found.
 * @example
 * ```ts
 * import type { ClusterAt } from 'onceproof/once'
 *
 * const redis: ClusterAt = {
 *   nodes: [{ host: 'node-1', port: 6379 }],
 *   options: { enableReadyCheck: true },
 * }
 * ```
 */
export interface ClusterAt {
  readonly nodes: readonly { readonly host: string; readonly port: number }[]
  readonly options?: ClusterOptions
}

/**
 * One server (`host` and `port`), a primary that Sentinels watch (`sentinels` and `name`), or a
 * Cluster. The layer duplicates a client and never uses it directly, because it needs its own
 * settings. Connections are made with node-redis if such a client is given, and otherwise with
 * ioredis.
 * @example
 * ```ts
 * import type { RedisAt } from 'onceproof/once'
 *
 * const behindSentinels: RedisAt = {
 *   sentinels: [{ host: 'sentinel-1', port: 26379 }],
 *   name: 'payments',
 * }
 * ```
 */
export type RedisAt = Redis | RedisOptions | Cluster | OtherIoredis | ClusterAt | NodeRedis | NodeRedisSentinelAt

/** A client of another copy of ioredis, from version 4 on, whose class is not this package's. */
export interface OtherIoredis {
  readonly status: string
  duplicate(...override: never[]): unknown
}

/** How the primary is found: at one address, by asking Sentinels, or by the slot of a key. */
export type Shape = 'single' | 'sentinel' | 'cluster'

/** Overrides the caller's settings for the connection to each server. */
export type OwnOptions = RedisOptions & ConnectionOptions & { readonly replyMapping: 'legacy' }

/**
 * Throws `TypeError` for a value without an address, and for a client that is neither ioredis nor
 * made by `createClient` of node-redis.
 */
export function openClient(at: RedisAt, own: OwnOptions): ServerClient | Cluster {
  if (typeof at !== 'object' || at === null) throw new TypeError(`redis: ${shown(at)} is not an address: ${address}`)
  if (isNodeRedis(at)) return NodeRedisClient.at(at, own)
  if (isOnNodeRedis(at)) return NodeRedisClient.behindSentinels(at, own)
  if ('nodes' in at && !isClient(at)) return new Cluster(needNodes(at.nodes), clusterOptions(own, at.options))
  if (!isClient(at)) return new Redis({ ...needPlace(at), ...own })
  return isCluster(at) ? at.duplicate([], clusterOptions(own, at.options)) : at.duplicate(own)
}

const address = 'give { host, port }, or new Redis(url)'

/** ioredis ignores the names of other libraries, and would connect to port 6379 of this machine. */
function needPlace(at: RedisOptions | OtherIoredis): RedisOptions {
  const other = ['url', 'uri', 'hostname', 'socket'].find((name) => name in at)
  if (other !== undefined) throw new TypeError(`redis: ${other} is not part of an address: ${address}`)
  if (['host', 'port', 'path', 'sentinels'].some((name) => name in at)) return at as RedisOptions
  throw new TypeError(`redis: there is no host: ${address}`)
}

function needNodes(nodes: unknown): ClusterAt['nodes'][number][] {
  if (Array.isArray(nodes) && nodes.length > 0) return [...nodes]
  throw new TypeError('redis: nodes are missing: give an array of at least one { host, port }')
}

export function shapeOf(client: ServerClient | Cluster): Shape {
  if (isCluster(client)) return 'cluster'
  return client.options.sentinels ? 'sentinel' : 'single'
}

export function isCluster(client: ServerClient | Cluster): client is Cluster {
  return client.isCluster
}

/**
 * Follows redirections, because a redirected command was not executed; never repeats a command that
 * may have been executed.
 */
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

/**
 * Recognizes a client by its members, because an application may hold another copy of ioredis.
 * Throws `TypeError` for a client of another kind.
 */
function isClient(at: object): at is Redis | Cluster {
  const { duplicate, status } = at as Partial<Redis>
  if (typeof duplicate === 'function' && typeof status === 'string') return true
  const refused = Object.keys(notDuplicated).find((member) => member in at)
  if (refused !== undefined) throw new TypeError(`redis: ${notDuplicated[refused]}`)
  if (typeof duplicate !== 'function') return false
  throw new TypeError('redis: not a client of ioredis or node-redis: give the address instead, such as { host, port }')
}

/** Objects of node-redis that are not clients, by members that clients do not have. */
const notDuplicated: { readonly [member: string]: string } = {
  getMasterNode:
    'its client for Sentinels repeats commands without a reply: give { sentinels, name, client: createClient(…) } instead',
  nodeClient: 'a Cluster needs ioredis: give { nodes: [{ host, port }] } instead',
  execute: 'a pool shares its connections with others: give its client, createClient(…), instead',
}

/** Recognizes a client by its members, because the package does not depend on node-redis. */
function isNodeRedis(at: object): at is NodeRedis {
  const { isReady, select, duplicate } = at as Readonly<Record<string, unknown>>
  return typeof isReady === 'boolean' && [select, duplicate].every((member) => typeof member === 'function')
}

function isOnNodeRedis(at: object): at is NodeRedisSentinelAt {
  if (!('sentinels' in at && 'client' in at)) return false
  const { client, sentinelClient = client } = at as NodeRedisSentinelAt
  if ([client, sentinelClient].every(isNodeRedis)) return true
  throw new TypeError(
    'redis: with `sentinels`, `client` and `sentinelClient` must come from createClient of node-redis',
  )
}

/** `withinMs`: time limit of connecting and of each question. */
export function openSentinels(client: ServerClient, withinMs: number): Sentinels {
  const own = { connectTimeout: withinMs, commandTimeout: withinMs, retryStrategy: never }
  if (client instanceof NodeRedisClient) return new Sentinels(client.nameAtSentinels, client.sentinels(own))
  const options = client.options as RedisOptions
  return new Sentinels(
    options.name ?? '',
    (options.sentinels ?? []).map((at) => () => sentinelOf(at, options, own)),
  )
}

const never = () => null

interface OnceOnly {
  readonly connectTimeout: number
  readonly commandTimeout: number
  readonly retryStrategy: () => null
}

type SentinelAddress = Partial<NonNullable<RedisOptions['sentinels']>[number]>

function sentinelOf({ host, port }: SentinelAddress, options: RedisOptions, own: OnceOnly): SentinelClient {
  const { sentinelUsername, sentinelPassword, sentinelTLS, family } = options
  return new Redis({
    host: host ?? 'localhost',
    port: port ?? 26379,
    ...(sentinelUsername === undefined ? {} : { username: sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { password: sentinelPassword }),
    ...(sentinelTLS === undefined ? {} : { tls: sentinelTLS }),
    ...(family === undefined ? {} : { family }),
    enableReadyCheck: false,
    ...own,
  })
}
