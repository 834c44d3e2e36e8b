import { Redis } from 'ioredis'
import type { RedisAddress } from '../../../src/contract/api/implementation.ts'

/**
 * A client with ioredis's defaults that also closes a connection without replies, because a reset
 * may never arrive.
 */
export function openClient({ options }: RedisAddress): Redis {
  const client = new Redis({ ...options, socketTimeout: 5000 })
  client.on('error', () => {})
  return client
}
