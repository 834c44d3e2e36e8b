/** Every client that is compared with itself on real servers, and what each one does not have. */
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

/** What is in flight when a connection breaks, and may be sent again on the next one. */
export type InFlight = 'command' | 'pipeline' | 'transaction'

export interface Row extends Driver {
  readonly sendsAgain: Readonly<Record<InFlight, boolean>>
  /** A command's time-out ends it even when it has been sent. */
  readonly timesOutSent: boolean
  /**
   * In a Cluster. Otherwise commands for a node that has died wait for it, whatever was promoted in
   * its place.
   */
  readonly leavesDeadNodes: boolean
  /** Why it does not do that. */
  readonly lacks: Partial<Readonly<Record<'Sentinel' | 'RESP3', string>>>
}

const onlyResp2 = { RESP3: 'it speaks RESP2 alone' }
const all = { command: true, pipeline: true, transaction: true }
const none = { command: false, pipeline: false, transaction: false }
const ofIoredis = { sendsAgain: all, timesOutSent: true, leavesDeadNodes: true }

const withTimeout = (client: NodeRedis, timeout: number, key: string) =>
  (client as never as { withCommandOptions(options: object): NodeRedis }).withCommandOptions({ timeout }).get(key)
/** Version 4 has no time-outs, but takes a signal. */
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
