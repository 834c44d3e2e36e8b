import { Redis } from 'ioredis'
import type { RedisAddress } from '../../../src/contract/api/implementation.ts'

/** ioredis's defaults, but it closes a connection without replies: a reset may never arrive. */
export function openClient({ options }: RedisAddress): Redis {
  const client = new Redis({ ...options, socketTimeout: 5000 })
  client.on('error', () => {})
  return client
}
