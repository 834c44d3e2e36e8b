import { Cluster, Redis } from 'ioredis'
import type { RedisAddress } from '../../src/contract/api/implementation.ts'
import type { Shape } from '../../src/contract/api/store.ts'

/** For layers whose articles say that they work on a Cluster: each command has one key. */
export const allShapes: readonly Shape[] = ['single', 'sentinel', 'cluster']

/** A client with ioredis's defaults. A Cluster client also has its commands and `defineCommand`. */
export function clientOf({ options, nodes }: RedisAddress): Redis {
  return nodes.length > 1 && !('sentinels' in options)
    ? (new Cluster([...nodes]) as unknown as Redis)
    : new Redis(options)
}
