/**
 * Checks in the record whether an attempt is counted before it runs its caller's code. It uses a
 * separate connection with a short timeout, because it is only a check.
 */
import { Redis } from 'ioredis'
import type { RedisAddress } from '../../../src/contract/api/implementation.ts'
import { bucketKeysOf } from '../../../src/impl/identity.ts'
import { placeOf } from './options.ts'

export interface CountLook {
  /** The number of the holder's attempt as counted; 0 if it is not counted, null if unknown. */
  attempt(key: string): Promise<number | null>
  close(): void
}

export function looksAtCount(redis: RedisAddress): CountLook {
  const { redis: at, buckets } = placeOf(redis)
  // A Cluster's records are on the node with their slot: a connection to one node cannot read all.
  if ('nodes' in at) return { attempt: async () => null, close: () => {} }
  const client = new Redis({
    ...redis.options,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    commandTimeout: 50,
  })
  client.on('error', () => {})
  return {
    async attempt(key) {
      const { record } = bucketKeysOf(key, buckets)
      const [state, fence, counted, attempts] = await client
        .hmget(record, 'state', 'fence', 'counted', 'attempts')
        .catch(() => [])
      // Without this record, the attempt has lost the key, and its begin will be refused.
      if (state !== 'acquired') return null
      return counted === fence ? Number(attempts) : 0
    },
    close: () => client.disconnect(),
  }
}
