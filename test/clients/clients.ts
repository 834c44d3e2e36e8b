/** Every client that is compared on real and simulated servers, with the features that it lacks. */
import { Cluster, Redis } from 'ioredis'
import Redis4 from 'ioredis4'
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis5'
import { Redis as Valkey, Cluster as ValkeyCluster } from 'iovalkey'
import * as nodeRedis6 from 'redis'
import * as nodeRedis4 from 'redis4'
import * as nodeRedis5 from 'redis5'
import type { Driver } from './client.ts'
import { ioredisDriver } from './ioredis-driver.ts'
import { type NodeRedis, nodeRedisDriver } from './node-redis-driver.ts'

/**
 * The kinds of request that may be sent again on the next connection if they are in flight when a
 * connection breaks.
 */
export type InFlight = 'command' | 'pipeline' | 'transaction'

export interface Row extends Driver {
  readonly sendsAgain: Readonly<Record<InFlight, boolean>>
  /** The timeout of a command ends it even after it has been sent. */
  readonly timesOutSent: boolean
  /**
   * Cluster only. If false, commands for a dead node wait for that node, even after a promotion.
   */
  readonly leavesDeadNodes: boolean
  /** The reason for each missing feature. */
  readonly lacks: Partial<Readonly<Record<'Sentinel' | 'RESP3', string>>>
}

const onlyResp2 = { RESP3: 'it speaks RESP2 alone' }
const all = { command: true, pipeline: true, transaction: true }
const none = { command: false, pipeline: false, transaction: false }
const ofIoredis = { sendsAgain: all, timesOutSent: true, leavesDeadNodes: true }

const withTimeout = (client: NodeRedis, timeout: number, key: string) =>
  (client as never as { withCommandOptions(options: object): NodeRedis }).withCommandOptions({ timeout }).get(key)
/** Version 4 has no timeouts, but accepts a signal. */
const withSignal = (client: NodeRedis, ms: number, key: string) => {
  const options = nodeRedis4.commandOptions({ signal: AbortSignal.timeout(ms) })
  return (client as never as { get(options: object, key: string): Promise<unknown> }).get(options, key)
}
const ofNodeRedis = { sendsAgain: none, timesOutSent: false, leavesDeadNodes: false }

export const clients: Readonly<Record<string, Row>> = {
  'ioredis 4': { ...ioredisDriver({ Redis: Redis4, Cluster: Redis4.Cluster }), ...ofIoredis, lacks: onlyResp2 },
  'ioredis 5': { ...ioredisDriver({ Redis: Redis5, Cluster: Cluster5 }), ...ofIoredis, lacks: onlyResp2 },
  'ioredis 6': { ...ioredisDriver({ Redis, Cluster }), ...ofIoredis, lacks: {} },
  iovalkey: { ...ioredisDriver({ Redis: Valkey, Cluster: ValkeyCluster }), ...ofIoredis, lacks: onlyResp2 },
  'node-redis 4': {
    ...nodeRedisDriver({ ...nodeRedis4, resp2: {}, evalsAnywhere: true, getWithin: withSignal }),
    ...ofNodeRedis,
    timesOutSent: true,
    lacks: {
      ...onlyResp2,
      Sentinel: 'it has no createSentinel',
    },
  },
  'node-redis 5': {
    ...nodeRedisDriver({ ...nodeRedis5, resp2: {}, getWithin: withTimeout }),
    ...ofNodeRedis,
    lacks: {},
  },
  'node-redis 6': {
    ...nodeRedisDriver({ ...nodeRedis6, resp2: { RESP: 2 }, getWithin: withTimeout }),
    ...ofNodeRedis,
    leavesDeadNodes: true,
    lacks: {},
  },
}
