import { Cluster, Redis } from 'ioredis'
import type { RedisAddress } from '../../src/contract/api/implementation.ts'
import type { Shape } from '../../src/contract/api/store.ts'

/** Of a layer whose article says that it works on a Cluster, and that names one key in each command. */
export const allShapes: readonly Shape[] = ['single', 'sentinel', 'cluster']

/** A client on ioredis's defaults. That of a Cluster has the same commands, and `defineCommand`. */
export function clientOf({ options, nodes }: RedisAddress): Redis {
  return nodes.length > 1 && !('sentinels' in options)
    ? (new Cluster([...nodes]) as unknown as Redis)
    : new Redis(options)
}
