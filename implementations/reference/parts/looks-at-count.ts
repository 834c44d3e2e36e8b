/**
 * Whether an attempt was counted before it runs its caller's code, as the record has it. It is asked on a connection of its own, and
 * nobody waits long for the answer: the look is a witness.
 */
import { Redis } from 'ioredis'
import type { RedisAddress } from '../../../src/contract/api/implementation.ts'
import { bucketKeysOf } from '../../../src/impl/identity.ts'
import { placeOf } from './options.ts'

export interface CountLook {
  /** Which attempt the key's holder is, as it is counted; 0 where it is not, and null where nobody can say. */
  attempt(key: string): Promise<number | null>
  close(): void
}

export function looksAtCount(redis: RedisAddress): CountLook {
  const { redis: at, buckets } = placeOf(redis)
  // A Cluster's records are on the node that has the slot: no connection to one of them could ask for all.
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
      // Another's record, or none: the attempt has lost the key, and its begin will be refused.
      if (state !== 'acquired') return null
      return counted === fence ? Number(attempts) : 0
    },
    close: () => client.disconnect(),
  }
}
